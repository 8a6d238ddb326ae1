/** Resolves when the rate window is empty again. */
export function nextWindow(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 10_100)
  })
}
