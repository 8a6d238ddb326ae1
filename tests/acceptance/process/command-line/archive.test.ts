import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { openCopySource, type StoreLocation } from '../../../../packages/server/src/run/compose.ts'
import { emptyDatabase } from '../../../../packages/server/testing/servers/shared-postgres.ts'
import { redisUrl } from '../../../../packages/server/testing/servers/shared-redis.ts'
import {
  OPERATIONS as ADMIN_OPERATIONS,
  assertError,
  filledIn,
  type Operator,
  operatorBy,
  withRange,
} from '../../harness/admin.ts'
import { type Answer, request } from '../../harness/client.ts'
import { comparable } from '../../harness/comparable.ts'
import { type Deployment, embeddedOnly, inFolder } from '../../harness/deployment.ts'
import { fleetgate, fleetgateJson, type Json } from '../../harness/fleetgate.ts'
import { OPERATIONS } from '../../harness/operations.ts'
import { PREFIX } from '../../harness/organization.ts'
import type { Server } from '../../harness/server.ts'
import { serveHere } from '../../harness/server-here.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { type FilledOrganization, filledFleet } from './archive-fleet.ts'

const [KEPT, OTHER] = ['Behalten', 'Zwetschge'] as const

describe('An archive', embeddedOnly, async () => {
  const { fleet, filled } = await filledFleet([KEPT, OTHER])
  const [kept, other] = filled as [FilledOrganization, FilledOrganization]
  const original = fleet.deployment.folder!
  const ofKept = ['--org', String(kept.id)]
  const archive = join(temporaryFolder(), 'archive')
  let whole: string
  let archived: Json

  before(async () => {
    whole = await emptyDatabase()
    await fleetgateJson(['copy', '--from', original, '--to', whole])
    archived = await fleetgateJson(['copy', '--from', original, '--to', archive, ...ofKept])
  })

  it('has one organization, and nothing of others', () => {
    assert.deepEqual([archived.organizations, archived.differences], [1, []])
    const bytes = bytesOf(archive)
    assert.ok(bytes.includes(KEPT))
    assert.ok(!bytes.includes(OTHER))
    const fixes = (of: FilledOrganization) =>
      column(
        original,
        `SELECT fix FROM positions WHERE organization = ${of.id}
        UNION ALL SELECT block FROM position_blocks WHERE organization = ${of.id}`,
      )
    const own = new Set(fixes(kept).map((fix) => fix.toString('hex')))
    const foreign = fixes(other).filter((fix) => !own.has(fix.toString('hex')))
    assert.ok(foreign.length > 0)
    for (const fix of foreign) assert.ok(!bytes.includes(fix))
  })

  it('has no secret, and no hash of one', () => {
    const bytes = bytesOf(archive)
    const secrets = SECRETS.flatMap((select) => column(original, select))
    assert.ok(secrets.length > 15, `${secrets.length}`)
    for (const secret of secrets) assert.ok(!bytes.includes(secret))
  })

  describe('in an empty server', () => {
    let wanted: Shown
    before(async () => {
      wanted = await shownBy(await callerOf(fleet.server, fleet.deployment.args, kept), kept)
    })

    it('answers in PostgreSQL as the original in a folder does, with its key rotated in both', async () => {
      const database = await emptyDatabase()
      const copied = await fleetgateJson(['copy', '--from', archive, '--to', database])
      assert.deepEqual(copied.tables, archived.tables)
      const place = { args: ['--database', database], serveArgs: ['--redis', await redisUrl()] }
      await assertServes({ ...place, folder: undefined, database })
    })

    it('answers alike in a folder if it comes from PostgreSQL', async () => {
      const folder = join(temporaryFolder(), 'archive')
      const { tables } = await fleetgateJson(['copy', '--from', whole, '--to', folder, ...ofKept])
      assert.deepEqual(tables, archived.tables)
      await assertServes(inFolder(folder), assertNoWayIn)
    })

    async function assertServes(
      deployment: Deployment,
      then?: (operator: Operator) => Promise<void>,
    ): Promise<void> {
      const { folder, database } = deployment
      const place = folder === undefined ? { database: database!, allowDataLoss: true } : { folder }
      const server = await serveHere(deployment, ['--geocoder', 'off'])
      try {
        const caller = await callerOf(server, deployment.args, kept)
        const shown = await shownBy(caller, kept)
        assert.deepEqual([...shown.keys()], [...wanted.keys()])
        for (const [path, answer] of wanted) assert.deepEqual(shown.get(path), answer, path)
        const objects = [kept.objects.van, kept.moved, kept.successor]
        const stored = await positionsIn({ folder: original }, kept.id, objects)
        assert.ok(stored.equals(await positionsIn(place, kept.id, objects)))
        await then?.(caller.operator)
      } finally {
        await server.stop()
      }
    }
  })

  it('answers about one object as the original does, and has no other', async () => {
    const { van } = kept.objects
    const folder = join(temporaryFolder(), 'object')
    const ofVan = [...ofKept, '--object', String(van)]
    await fleetgateJson(['copy', '--from', original, '--to', folder, ...ofVan])
    const bytes = bytesOf(folder)
    for (const word of [OTHER, `${KEPT} tracker`, `${KEPT} key`, 'A administrator']) {
      assert.ok(!bytes.includes(word), word)
    }
    const place = inFolder(folder)
    const [theirs, { key }] = await Promise.all([
      fleetgateJson(['key', 'issue', ...ofKept, ...fleet.deployment.args]),
      fleetgateJson(['key', 'issue', ...ofKept, ...place.args]),
    ])
    const server = await serveHere(place, ['--geocoder', 'off'])
    try {
      for (const { template, path } of OPERATIONS.filter(({ hasObject }) => hasObject)) {
        if (template.startsWith('/routes')) continue
        const [wanted, shown] = await Promise.all([
          answerOf(fleet.server, theirs.key, path(kept, van)),
          answerOf(server, key, path(kept, van)),
        ])
        assert.equal(shown, wanted, template)
      }
      const { result } = JSON.parse(await answerOf(server, key, '/objects'))
      assert.deepEqual(
        result.map(({ id }: Json) => id),
        [van],
      )
    } finally {
      await server.stop()
    }
  })

  /** Webhooks send nothing before they have a secret, and people have no password. */
  async function assertNoWayIn({ ask, get, post, patch }: Operator): Promise<void> {
    const at = `/organizations/${kept.id}`
    const { items: webhooks } = await get(`${at}/webhooks`)
    assert.deepEqual(
      webhooks.map(({ id, state, has_credentials }: Json) => [id, state, has_credentials]),
      kept.hooks.map((id) => [id, 'off', false]),
    )
    const one = `${at}/webhooks/${kept.hooks[0]}`
    assertError(await ask('PATCH', one, { body: { on: true } }), 409, 'conflict')
    assertError(await ask('POST', `${one}/test`), 409, 'conflict')
    await post(`${one}/rotate`, { overlap_hours: 1 })
    assert.equal((await patch(one, { on: true })).state, 'on')
    const { items: people } = await get(`${at}/people`)
    assert.deepEqual(
      people.map(({ name, has_password }: Json) => [name, has_password]),
      [['A administrator', false]],
    )
  }

  it('is refused into a place with data, and of what does not exist', async () => {
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await fleetgate(['copy', ...args])
      assert.equal(stdout, '')
      return `${code} ${stderr}`
    }
    const occupied = temporaryFolder()
    await fleetgateJson(['org', 'create', '--name', 'Acme', '--data', occupied])
    assert.match(await refused('--from', archive, '--to', occupied), /^1 .* is not empty/)
    const from = ['--from', original, '--to', join(temporaryFolder(), 'none')]
    assert.match(await refused(...from, '--org', '99'), /^1 .*there is no organization 99/)
    const foreign = ['--object', String(other.moved)]
    assert.match(await refused(...from, ...ofKept, ...foreign), /^1 .*has no object/)
    assert.match(await refused(...from, ...foreign), /^2 .*--object requires --org/)
    const others = ['--org', String(other.id)]
    assert.match(await refused('--from', original, '--to', archive, ...others), /^1 .*another/)
  })
})

async function answerOf({ api }: Server, key: string, path: string): Promise<string> {
  const { status, text } = await request(api, PREFIX + path, { headers: { 'x-api-key': key } })
  assert.equal(status, 200, `${path}: ${text}`)
  return text.replace(/"timestamp":"[^"]*"/, '')
}

type Shown = Map<string, unknown>
/** `own`: what only the rotated key of this server has. */
type Caller = { api: string; operator: Operator; key: string; own: string[] }

/** The stored positions of objects, hidden ones too, byte by byte. */
async function positionsIn(
  place: StoreLocation,
  organization: number,
  objects: number[],
): Promise<Buffer> {
  const source = await openCopySource(place, Date.now())
  try {
    const part = { organization, objects, from: 0, to: Number.MAX_SAFE_INTEGER }
    return Buffer.concat(await Array.fromAsync(source.positions(part)))
  } finally {
    await source.close()
  }
}

/** An operator, and somebody with the key of an organization, which is rotated for that. */
async function callerOf(
  { api, admin }: Server,
  place: string[],
  { id, keyId }: FilledOrganization,
): Promise<Caller> {
  const { token } = await fleetgateJson(['token', 'issue', '--role', 'operator', ...place])
  const operator = operatorBy(() => admin, { authorization: `Bearer ${token}` })
  const rotate = `/organizations/${id}/keys/${keyId}/rotate`
  const { credential, secret } = await operator.post(rotate, { overlap_hours: 0 })
  const { prefix, last_four, created_at } = credential
  return { api, operator, key: secret, own: [prefix, last_four, created_at] }
}

/** Everything that a key, and an operator, are shown. */
async function shownBy(caller: Caller, of: FilledOrganization): Promise<Shown> {
  const shown: Shown = new Map()
  const headers = { 'x-api-key': caller.key }
  for (const path of publicPaths(of)) {
    const answer = await request(caller.api, PREFIX + path, { headers })
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    shown.set(path, alike(path.startsWith('/usage') ? requestsIn(answer) : whole(answer), caller))
  }
  for (const path of adminPaths(of)) {
    const { status, text } = await caller.operator.ask('GET', path)
    assert.equal(status, 200, `${path}: ${text}`)
    shown.set(path, alike(path.endsWith('/audit') ? earlierEntries(text) : text, caller))
  }
  return shown
}

/** Each server seals its cursors and entity tags. */
function whole({ status, headers, text }: Answer): string {
  const { etag: _, link: __, 'content-length': ___, ...kept } = headers
  const open = text.replaceAll(/"cursor":"[^"]*"/g, '')
  return comparable({ status, headers: kept, text: open } as Answer)
}

/** PostgreSQL has the quota of the last second later. The headers of answers have it at once. */
const requestsIn = ({ json }: Answer): string => JSON.stringify(json.result.requests)

/** The entries from before the archive. */
function earlierEntries(text: string): string {
  const later = ['organization.archive', 'key.rotate']
  const { items } = JSON.parse(text) as { items: Json[] }
  return JSON.stringify(items.filter(({ action }) => !later.includes(action)))
}

/** Counts of the moment, and who issued a token: a person of the first server. */
const OF_A_SERVER =
  /"(last_used_at|requests_today|quota_used|issued_by)":("[^"]*"|\d+|null)|"positions":\{[^}]*\}/g

function alike(text: string, { own }: Caller): string {
  const masked = text
    .replaceAll(OF_A_SERVER, '')
    .replaceAll('"source_name":"Ada"', '"source_name":null')
    .replaceAll(',Ada,', ',,')
  return own.reduce((rest, value) => rest.replaceAll(value, ''), masked)
}

/** Each operation in each format, for objects with all kinds of positions. */
function publicPaths(of: FilledOrganization): string[] {
  const { moved, successor } = of
  const ofVan = OPERATIONS.flatMap(({ path, formats }) =>
    formats.map((format) => withQuery(path(of), `format=${format}`)),
  )
  const ofDrives = OPERATIONS.flatMap(({ path, hasObject }) =>
    hasObject ? [moved, successor].map((object) => onDrive(path(of, object))) : [],
  )
  const whole = ['from=history', 'from=history&include=quality,exact,attributes', 'from=snapshot']
  const changes = whole.map((query) => `/changes?${query}&limit=5000`)
  return [...ofVan, ...ofDrives, ...changes]
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

const onDrive = (path: string) =>
  path
    .replaceAll(/2024-05-0[67]|2026-01-01|2026-11-1[67]/g, '2026-05-04')
    .replaceAll('2026-01-02', '2026-05-05')

/** Differs by design, does not end, or is shown by another operation. */
const NOT_ALIKE =
  /Invitations|Sessions|Webhooks$|Deliveries|watchObjects|Workbook$|OrganizationPeople|diagnose|^get(Geofence|Route|Site|Quota|Desk)$/

function adminPaths({ id, moved }: FilledOrganization): string[] {
  const ids = { organization: id, object: moved }
  return ADMIN_OPERATIONS.filter(
    ({ id, method, path }) =>
      method === 'GET' && path.includes('{organization}') && !NOT_ALIKE.test(id),
  ).map((operation) => onDrive(withRange(operation, filledIn(operation.path, ids))))
}

const SECRETS = [
  ...['api_keys', 'feed_tokens', 'links', 'access_credentials'].map(
    (table) => `SELECT hash FROM ${table}`,
  ),
  'SELECT password FROM accounts',
  'SELECT secret FROM webhooks',
  'SELECT secret FROM deployment',
]

function bytesOf(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))))
}

/** The values of the only column of a query. */
function column(folder: string, select: string): Buffer[] {
  using database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  const rows = database.prepare(select)
  rows.setReturnArrays(true)
  return (rows.all() as unknown as (string | Uint8Array | null)[][])
    .flatMap(([value]) => value ?? [])
    .map((value) => Buffer.from(value as string))
}
