import { describe, expect, it } from "vitest";

import { decay, lagS, oscillations, overshootM, rampStopResponse } from "../src/studio/response";
import { predicted } from "../src/studio/response-plot";
import golden from "./studio-response-golden.json";

describe("the response past a stop", () => {
  const { times, responses } = golden.numbers;

  it.each(responses)("is the Python module's at $error_m m and zeta $zeta", (expected) => {
    const { error_m, zeta } = expected;
    expect(lagS(error_m, zeta)).toBeCloseTo(expected.lag_s, 12);
    expect(overshootM(error_m, zeta)).toBeCloseTo(expected.overshoot_m, 12);
    expect(oscillations(zeta)).toBeCloseTo(expected.oscillations, 10);
    times.forEach((t, i) => {
      expect(rampStopResponse(t, error_m, zeta)).toBeCloseTo(expected.places_m[i] ?? NaN, 12);
    });
  });

  it("has its highest place at the overshoot", () => {
    for (const [error, zeta] of [[0.05, 0.3], [0.15, 0.5], [0.01, 0.9]] as const) {
      let highest = -Infinity;
      for (let i = 0; i <= 20000; i += 1) highest = Math.max(highest, rampStopResponse(i / 10000, error, zeta));
      expect(highest).toBeCloseTo(overshootM(error, zeta), 6);
    }
  });

  it("passes through critical damping without a jump", () => {
    for (const t of [0, 0.02, 0.3]) {
      const [low, high] = [decay(14, 1 - 1e-7, t), decay(14, 1 + 1e-7, t)];
      expect(low[0]).toBeCloseTo(high[0], 5);
      expect(low[1]).toBeCloseTo(high[1], 5);
    }
  });

  it("grows with the speed alone", () => {
    expect(rampStopResponse(0.1, 0.05, 0.3, 2)).toBeCloseTo(2 * rampStopResponse(0.1, 0.05, 0.3), 12);
    expect(overshootM(0.05, 0.3, 2)).toBeCloseTo(2 * overshootM(0.05, 0.3), 12);
  });

  it("is told in words", () => {
    expect(predicted(0.0396, 4)).toEqual(["4.0 cm overshoot", "about 4 oscillations"]);
    expect(predicted(0.001, 1.2)).toEqual(["0.1 cm overshoot", "about 1 oscillation"]);
    expect(predicted(0, 0)).toEqual(["No overshoot", "no oscillation"]);
  });
});
