/** A number of cores as dask-gateway writes it: exactly three decimals, a half rounded to the even neighbour. */
export function coresText(cores: number): string {
  // Only sixteenths can lie exactly between two thousandths, and their thousandfold is exact.
  const isHalf = Number.isInteger(cores * 16) && Math.abs(cores * 1_000) % 1 === 0.5;
  const below = Math.floor(cores * 1_000);
  return isHalf ? ((below % 2 === 0 ? below : below + 1) / 1_000).toFixed(3) : cores.toFixed(3);
}
