// Angles in radians, as logs hold them, or in degrees, as people think of them: one switch for the whole page.

const perRadian = 180 / Math.PI;
const listeners = new Set<() => void>();
let degrees = false;

export const inDegrees = () => degrees;
export function showDegrees(on: boolean) {
  if (on === degrees) return;
  degrees = on;
  for (const listener of listeners) listener();
}
export function onUnits(listener: () => void) {
  listeners.add(listener);
}

/** A unit that the switch changes: rad, rad/s, rad/s^2; not N m/rad. */
export const isAngle = (unit: string) => /^rad(?![a-z])/.test(unit);
export const shownUnit = (unit: string) =>
  degrees
    ? unit
        .split(' or ')
        .map(u => (isAngle(u) ? u.replace('rad', 'deg') : u))
        .join(' or ')
    : unit;
export const shownFactor = (unit: string) => (degrees && isAngle(unit) ? perRadian : 1);
