/** What a mass tracker does past a stop: the part of `kinesphere.dynamics.tension.response` that the page draws. */

const GRAVITY_M_S2 = 9.81;
/** Share of the steady error within which the response counts as settled. */
const SETTLED = 0.05;

export function omegaOf(error_m: number): number {
  return Math.sqrt(GRAVITY_M_S2 / error_m);
}

/** `exp(-zeta omega t)` times the cosine-like and the sine-like solution, at any damping. */
export function decay(omega: number, zeta: number, t: number): readonly [cosine: number, sine: number] {
  const rate = zeta * omega;
  const square = omega * omega * (zeta - 1) * (zeta + 1);
  if (square <= 0) {
    const swing = Math.sqrt(-square);
    const envelope = Math.exp(-rate * t);
    const angle = swing * t;
    return [envelope * Math.cos(angle), angle > 1e-9 ? (envelope * Math.sin(angle)) / swing : envelope * t];
  }
  const split = Math.sqrt(square);
  const slow = Math.exp(((-omega * omega) / (rate + split)) * t);
  const fade = -Math.expm1(-2 * split * t);
  return [slow * (1 - 0.5 * fade), split * t > 1e-9 ? (slow * fade) / (2 * split) : slow * t];
}

/** Seconds by which a ramp is trailed. */
export function lagS(error_m: number, zeta: number): number {
  return (2 * zeta) / omegaOf(error_m);
}

/** Metres from the stop, t >= 0 seconds after the set point stopped there after a long ramp. */
export function rampStopResponse(t: number, error_m: number, zeta: number, speed_m_s = 1): number {
  const omega = omegaOf(error_m);
  const [cosine, sine] = decay(omega, zeta, t);
  return speed_m_s * (sine - lagS(error_m, zeta) * (cosine + zeta * omega * sine));
}

/** Metres beyond the place where a movement of that speed stops. */
export function overshootM(error_m: number, zeta: number, speed_m_s = 1): number {
  if (zeta >= 1) return 0;
  const fall = Math.exp((-zeta * (Math.PI - Math.acos(zeta))) / Math.sqrt(1 - zeta * zeta));
  return (speed_m_s / omegaOf(error_m)) * fall;
}

/** Swings (half-cycles) that are seen before the response has settled, as a fraction. */
export function oscillations(zeta: number): number {
  if (zeta >= 1) return 0;
  const root = Math.sqrt(1 - zeta * zeta);
  return (Math.acos(zeta) - (root / zeta) * Math.log(2 * SETTLED * zeta * root)) / Math.PI;
}
