/**
 * What whoever calls a program of ours learns from how it ends: it passed, or did as it was told; something
 * was found that must not be; it could not be decided; this machine, or this server, cannot do what was
 * asked; the words were wrong; it was interrupted, and has cleaned up.
 */
export const EXIT = { passed: 0, failed: 1, unknown: 2, cannotRun: 3, usage: 64, interrupted: 130 } as const;
