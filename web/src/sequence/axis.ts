// Where the ticks of a time–sequence plot stand, and what they say.

/** Round steps for an axis. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw) ?? raw;
  const out: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) out.push(Math.abs(v) < step / 1e6 ? 0 : v);
  return out;
}

/** Times on the axis: seconds, with as many digits as the step between ticks needs. */
export function timeLabel(ns: number, step: number): string {
  const places = Math.max(0, Math.ceil(-Math.log10(step / 1e9) - 1e-9));
  return `${(ns / 1e9).toFixed(Math.min(9, places))} s`;
}

/** Bytes on the axis, in the unit of the step between ticks. */
export function byteLabel(bytes: number, step: number): string {
  const [factor, unit] = step >= 1e12 ? [1e12, "TB"] : step >= 1e9 ? [1e9, "GB"] : step >= 1e6 ? [1e6, "MB"] : step >= 1e3 ? [1e3, "kB"] : [1, "B"];
  if (bytes === 0) return "0";
  return `${(bytes / factor).toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
}
