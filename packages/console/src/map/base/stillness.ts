/** Cached, because every frame asks for it. */
const stillness = matchMedia('(prefers-reduced-motion: reduce)')

export function prefersStillness(): boolean {
  return stillness.matches
}
