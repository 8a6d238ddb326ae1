import assert from 'node:assert/strict'
import type { Answer } from './client.ts'
import { resultOf } from './envelope.ts'
import type { Json } from './fleetgate.ts'
import { type Organization, withRoom } from './organization.ts'

/** The path of the next page, below the prefix; undefined after the last page. */
export function nextOf({ headers }: Pick<Answer, 'headers'>): string | undefined {
  if (headers.link === undefined) return undefined
  const match = /^<[^>]*\/public\/v1(\/[^>]+)>; rel="next"$/.exec(String(headers.link))
  assert.ok(match, String(headers.link))
  return match[1]
}

/** The rows of a page and of those that follow it. `between` is told how many pages were read. */
export async function pagesOf(
  organization: Organization,
  path: string,
  between: (pages: number) => Promise<void> = async () => {},
): Promise<Json[][]> {
  const pages: Json[][] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    await withRoom([organization])
    const answer = await organization.get(next)
    pages.push(resultOf(answer))
    next = nextOf(answer)
    await between(pages.length)
  }
  return pages
}
