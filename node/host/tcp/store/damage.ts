/**
 * The disk does not hold what it had promised to keep. That is neither a bug nor something to go on with: a
 * server that forgot what it acknowledged could complete a quorum which never had the transaction. So it
 * stops, and says what to do.
 */
export class Damage extends Error {
  override readonly name = "Damage";

  constructor(directory: string, file: string, offset: number, what: string) {
    super(
      `${directory}/${file}, byte ${offset}: ${what}. This server must not go on with what is left. When a ` +
        `quorum of the other servers is up, move ${directory} away and start again: they bring it level.`,
    );
  }
}
