/** Offsets in UTF-16 units, which JavaScript counts, and in bytes of UTF-8, which acp.complete does. */

export function toBytes(text: string, units: number): number {
  return Buffer.byteLength(text.slice(0, units), 'utf8');
}

export function toUnits(text: string, bytes: number): number {
  return Buffer.from(text, 'utf8').subarray(0, bytes).toString('utf8').length;
}
