import type { Random } from '../../../packages/server/testing/random.ts'
import type { HttpAnswer } from './answers.ts'
import { PREFIX } from './description.ts'
import { type Expectation, expectationOf } from './expectation.ts'
import type { Line } from './line.ts'
import { spoilt } from './nasty-values.ts'
import { decodePercent } from './percent.ts'
import { bytesOf, type FuzzRequest } from './requests.ts'
import { FIRST_FIX, FIX_STEP_MS, type Tenant } from './tenants.ts'
import { tenantOf, WINDOW, type World } from './world.ts'

/** Requests that each depend on the previous answer: pages of a history, or entity tags. */
export async function talk(world: World, line: Line, seed: number, random: Random): Promise<void> {
  const tenant = world.tenants[tenantOf(world, seed)]!
  const conversation = random.chance(0.5) ? pages : tags
  await conversation(tenant, random, (request, adjust, after) =>
    ask(world, line, seed, tenant, request, adjust, after),
  )
}

/** Sends a request and judges the answer; `adjust`: changes the expectation by earlier answers. */
type Ask = (
  request: FuzzRequest,
  adjust?: Partial<Expectation>,
  after?: number,
) => Promise<HttpAnswer | undefined>

async function ask(
  { operations, judge, tally }: World,
  line: Line,
  seed: number,
  tenant: Tenant,
  request: FuzzRequest,
  adjust: Partial<Expectation> | undefined,
  after: number | undefined,
): Promise<HttpAnswer | undefined> {
  const expectation = { ...expectationOf(request, operations, tenant, after), ...adjust }
  const sent = bytesOf(request)
  const { answers, fault, rest } = await line.exchange(
    Buffer.from(sent, 'latin1'),
    [request.method === 'HEAD'],
    expectation.isClosing,
  )
  tally.requests += answers.length
  if (fault !== undefined) tally.fault({ kind: fault, seed, sent, detail: JSON.stringify(rest) })
  const [answer] = answers
  if (answer === undefined) return undefined
  if (expectation.isCounted && ![403, 429].includes(answer.status)) tally.past++
  const found = judge(request, expectation, answer, tenant)
  if (found === undefined) return answer
  tally.fault({ ...found, seed, sent })
  return undefined
}

/** Together with as many forged cursors, the limit of a window. */
const MAX_PAGES = WINDOW.requests / 2
const LINK = /^<(\S+)>; rel="next"$/

/** Follows a history from page to page; each page must continue exactly after the previous one. */
async function pages(tenant: Tenant, random: Random, ask: Ask): Promise<void> {
  const { id } = tenant.objects[0]!
  const limit = random.whole(4, 15)
  let target = `${PREFIX}/objects/${id}/positions?from_time=2024-05-06&to_time=2024-05-07&limit=${limit}`
  for (let page = 0; page < MAX_PAGES; page++) {
    const after = page === 0 ? undefined : FIRST_FIX + (page * limit - 1) * FIX_STEP_MS
    const answer = await ask(read(tenant, target), {}, after)
    const next = answer?.headers.get('link')?.[0]
    if (next === undefined) return
    target = LINK.exec(next)?.[1] ?? ''
    if (random.chance(0.2)) {
      const cursor = target.slice(target.indexOf('cursor=') + 'cursor='.length)
      const forged = spoilt(cursor, random)
      if (decodePercent(forged) !== cursor) await ask(read(tenant, target.replace(cursor, forged)))
    }
  }
}

/** Requests an unchanged resource by its tag, in every valid form of the header. */
async function tags(tenant: Tenant, random: Random, ask: Ask): Promise<void> {
  const path = random.pick([
    '/objects',
    '/geofences',
    '/routes',
    '/sites',
    `/objects/${tenant.objects[0]!.id}`,
  ])
  const answer = await ask(read(tenant, PREFIX + path))
  const tag = answer?.headers.get('etag')?.[0]
  if (tag === undefined) return
  const strong = tag.replace('W/', '')
  for (const same of [tag, strong, `"x", ${tag}`, `${strong},W/"y"`, `,, ${tag} ,`]) {
    await ask(read(tenant, PREFIX + path, same), { outcomes: ['304'] })
  }
  const others = [tag.slice(0, -1), tag.replace('W/', 'w/'), strong.slice(1, -1), `${tag}x`]
  await ask(read(tenant, PREFIX + path, random.pick(others)))
}

function read({ key }: Tenant, target: string, tag?: string): FuzzRequest {
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['x-api-key', key],
  ]
  if (tag !== undefined) headers.push(['If-None-Match', tag])
  return { method: 'GET', target, headers, body: '' }
}
