import assert from 'node:assert/strict'
import { ADMIN } from '../../harness/admin.ts'
import { request } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import type { FleetOrganization } from '../../harness/fleet.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { withRoom } from '../../harness/organization.ts'

const EVER = 'from_time=2000-01-01&to_time=2100-01-01'

/** All that the API says of an organization, as bytes, by path. */
export async function readApi(organization: FleetOrganization): Promise<Map<string, string>> {
  const read = new Map<string, string>()
  const ids = Object.values(organization.objects)
  const paths = [
    ...['/objects', '/geofences', '/routes', '/sites', `/positions/latest?ids=${ids.join()}`],
    ...ids.flatMap((id) => [`/objects/${id}`, `/objects/${id}/positions?${EVER}`]),
  ]
  for (const path of paths) {
    await withRoom([organization])
    const answer = await organization.get(path)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    read.set(path, answer.text)
  }
  return read
}

/** Follows the pages of a history from a cursor on, and returns their rows. */
export async function followed(organization: FleetOrganization, link: string): Promise<Json[]> {
  const rows: Json[] = []
  for (let next: string | undefined = link; next !== undefined; ) {
    await withRoom([organization])
    const answer = await organization.get(next)
    rows.push(...resultOf(answer))
    next = nextOf(answer.headers.link)
  }
  return rows
}

/** The path of a `Link` header below the API's prefix. */
export function nextOf(header: string | string[] | undefined): string | undefined {
  return /^<\/public\/v1([^>]*)>; rel="next"$/.exec(String(header))?.[1]
}

/** All that the operator's API says of these organizations, and of operators, by path. */
export async function readAdmin(
  origin: string,
  headers: Record<string, string>,
  organizations: readonly { id: number }[],
): Promise<Map<string, Json>> {
  const below = ['keys', 'feed-tokens', 'objects', 'geofences', 'routes', 'sites']
  const paths = organizations.flatMap(({ id }) =>
    ['', ...below.map((name) => `/${name}`)].map((path) => `/organizations/${id}${path}`),
  )
  const read = new Map<string, Json>()
  for (const path of ['/tokens', '/audit', ...paths]) {
    const answer = await request(origin, ADMIN + path, { headers })
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    read.set(path, withoutOldMotion(answer.json))
  }
  return read
}

const SIGNAL_MS = 86_400_000

/** Since this version, a vehicle without a packet for a day has no motion. */
function withoutOldMotion(json: Json): Json {
  for (const item of json.items ?? []) {
    if (Date.now() - Date.parse(item.time_device) > SIGNAL_MS) item.motion = null
  }
  return json
}

/** Fails unless what was said before is still said. A newer version may have added fields. */
export function assertKept(now: Json, before: Json, about: string): void {
  if (before === null || typeof before !== 'object') {
    assert.deepEqual(now, before, about)
    return
  }
  assert.equal(typeof now, 'object', about)
  if (Array.isArray(before)) assert.equal(now.length, before.length, about)
  for (const name of Object.keys(before)) assertKept(now[name], before[name], `${about}.${name}`)
}
