import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** A page of `/changes`, of which a benchmark needs only this. */
export type FollowedPage = { positions: number; cursor: string; hasMore: boolean; ms: number }

const POSITION = '"type":"position"'
/** The end of a page has its cursor. */
const TAIL_LENGTH = 4_096
const SECOND_MS = 1_000

/** Reads pages until there is nothing more. Waits where the rate window wants it. */
export async function* followChanges(
  port: number,
  key: string,
  query: string,
): AsyncGenerator<FollowedPage> {
  for (let next = query; ; ) {
    const page = await readPage(port, key, `/public/v1/changes?limit=10000&${next}`)
    if (typeof page === 'number') {
      await pause(page * SECOND_MS)
      continue
    }
    yield page
    if (!page.hasMore) return
    next = `cursor=${page.cursor}`
  }
}

/** The page, or the seconds after which a request is admitted. */
function readPage(port: number, key: string, path: string): Promise<FollowedPage | number> {
  const begunAt = performance.now()
  return new Promise((resolve, reject) => {
    const request = get({ port, path, headers: { 'x-api-key': key } }, (answer) => {
      const { statusCode, headers } = answer
      if (statusCode === 429) {
        answer.resume()
        return resolve(Number(headers['retry-after']))
      }
      if (statusCode !== 200) return reject(new Error(`${statusCode} of ${path}`))
      let positions = 0
      let tail = ''
      answer.setEncoding('latin1')
      answer.on('data', (text: string) => {
        // Positions in the tail have been counted, except one that the end of the piece cut.
        const kept = tail.slice(-(POSITION.length - 1))
        positions += (kept + text).split(POSITION).length - 1
        tail = (tail + text).slice(-TAIL_LENGTH)
      })
      answer.on('end', () => {
        const end = /"cursor":"([^"]+)","has_more":(true|false)/.exec(tail)!
        const ms = performance.now() - begunAt
        resolve({ positions, cursor: end[1]!, hasMore: end[2] === 'true', ms })
      })
      answer.on('error', reject)
    })
    request.on('error', reject)
  })
}
