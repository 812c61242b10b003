/** In a server's folder: how its disk fails just now. */
export const ORDERS = "disk-fault";
