/**
 * How long light in a fibre needs at least, for pairs that nobody measured: the great circle between two
 * places, times a stretch for cables that do not follow it, over 200 km per millisecond (c over a refractive
 * index of 1.5).
 */

import { type Duration, milliseconds } from "#node/core/time.ts";

export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

const EARTH_RADIUS_KM = 6371;
const KM_PER_MILLISECOND = 200;

export function greatCircleKm(a: Coordinates, b: Coordinates): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const north = radians(b.latitude - a.latitude);
  const east = radians(b.longitude - a.longitude);
  const haversine =
    Math.sin(north / 2) ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(haversine));
}

/** One way. */
export const greatCircleDelay = (a: Coordinates, b: Coordinates, stretch: number): Duration =>
  milliseconds((greatCircleKm(a, b) * stretch) / KM_PER_MILLISECOND);
