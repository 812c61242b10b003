/** Where what runs on this machine alone is reached. */
export const HOST = "127.0.0.1";
