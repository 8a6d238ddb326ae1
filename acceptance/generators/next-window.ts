/** Resolves when ten more requests fit into the rate window, which holds ten in 10 s. */
export function nextWindow(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 10_100)
  })
}
