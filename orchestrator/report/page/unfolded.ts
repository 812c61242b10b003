/**
 * Points of a plane that are about as far apart as their distances say: begun on a circle, each is moved to
 * where its distances to all others would put it, again and again (SMACOF; de Leeuw 1977). The wider way
 * lies across. The same distances give the same points.
 */

type Point = [x: number, y: number];

export function unfolded(
  names: readonly string[],
  distance: (a: string, b: string) => number,
): ReadonlyMap<string, Point> {
  const count = names.length;
  let points = names.map((_, at): Point => {
    // Not evenly, or opposite points would stay where they are.
    const angle = (2 * Math.PI * (at + 0.1 * Math.sin(at))) / count;
    return [Math.cos(angle), Math.sin(angle)];
  });
  const wanted = names.map((a) => names.map((b) => (a === b ? 0 : distance(a, b))));
  for (let round = 0; round < ROUNDS; round++) {
    const before = points;
    points = before.map(([x, y], i): Point => {
      let [toX, toY] = [0, 0];
      for (const [j, [otherX, otherY]] of before.entries()) {
        if (i === j) continue;
        const apart = Math.max(1e-12, Math.hypot(x - otherX, y - otherY));
        const pull = (wanted[i]?.[j] ?? 0) / apart;
        toX += pull * (x - otherX);
        toY += pull * (y - otherY);
      }
      return [toX / count, toY / count];
    });
  }
  const turn = -axisOf(points);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return new Map(
    names.map((name, at) => {
      const [x, y] = points[at] ?? [0, 0];
      return [name, [x * cos - y * sin, x * sin + y * cos]];
    }),
  );
}

/** The direction in which the points spread most; their middle is the origin. */
function axisOf(points: readonly Point[]): number {
  const sum = (of: (point: Point) => number): number => points.reduce((all, point) => all + of(point), 0);
  return (
    0.5 *
    Math.atan2(
      2 * sum(([x, y]) => x * y),
      sum(([x, y]) => x * x - y * y),
    )
  );
}

const ROUNDS = 300;
