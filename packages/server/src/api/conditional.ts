/**
 * Whether an `If-None-Match` header holds the entity tag: the weak comparison of RFC 9110, 8.8.3.2.
 * `tag` is the opaque part, without quotes.
 */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((item) => item.trim().replace(/^W\//, '') === `"${tag}"`)
}
