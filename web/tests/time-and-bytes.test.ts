import { describe, expect, it } from "vitest";

import { bytesFromBase64 } from "../src/base64";
import { clockText, frameAt, lastTime, stepped } from "../src/frames";
import { Quality } from "../src/quality";
import { peaksOf } from "../src/waveform";

describe("base64", () => {
  it("gives back every byte, whatever the length and the white space", () => {
    for (const length of [0, 1, 2, 3, 4, 255, 1000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 37) % 256);
      const text = btoa(String.fromCharCode(...bytes)).replace(/(.{7})/g, "$1\n ");
      expect(bytesFromBase64(text)).toEqual(bytes);
    }
  });
});

describe("frames", () => {
  it("has its last frame at the end", () => {
    expect(lastTime(241, 60)).toBe(4);
    expect(lastTime(1, 60)).toBe(0);
  });

  it("comes back from every frame at awkward rates", () => {
    for (const fps of [23.976, 24, 29.97, 30, 60, 120]) {
      for (let frame = 0; frame < 5000; frame += 1) expect(frameAt(frame / fps, fps)).toBe(frame);
    }
  });

  it("visits every frame once by single steps, there and back", () => {
    let time = 0;
    for (let frame = 1; frame <= 240; frame += 1) {
      time = stepped(time, 1, 29.97, 10);
      expect(frameAt(time, 29.97)).toBe(frame);
    }
    for (let frame = 239; frame >= 0; frame -= 1) {
      time = stepped(time, -1, 29.97, 10);
      expect(frameAt(time, 29.97)).toBe(frame);
    }
  });

  it("goes from between two frames to the neighbour", () => {
    expect(stepped(0.14, 1, 10, 1)).toBeCloseTo(0.2);
    expect(stepped(0.14, -1, 10, 1)).toBeCloseTo(0.1);
    expect(stepped(0, -1, 10, 1)).toBe(0);
    expect(stepped(1, 10, 10, 1)).toBe(1);
  });

  it("writes times without the rounding carrying over", () => {
    expect(clockText(59.9996)).toBe("1:00.000");
    expect(clockText(4.25)).toBe("0:04.250");
  });
});

describe("quality", () => {
  it("stays while frames come fast and drops twice while they do not", () => {
    const quality = new Quality();
    for (let i = 0; i < 100; i += 1) expect(quality.note(i % 3 ? 0.016 : 0.06)).toBe(false);
    const changes = Array.from({ length: 100 }, () => quality.note(0.1)).filter(Boolean);
    expect(changes).toHaveLength(2);
    expect(quality.level).toBe(2);
  });
});

describe("peaks", () => {
  it("finds the loudest sample of each stretch", () => {
    const samples = Float32Array.of(0.1, -0.5, 0.2, 0, -0.25, 0.125);
    expect([...peaksOf(samples, 3)]).toEqual([0.5, expect.closeTo(0.2), 0.25]);
  });
});
