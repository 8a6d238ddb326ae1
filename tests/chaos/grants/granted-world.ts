import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_KEY, newSecret } from '../../../packages/server/src/base/access/secret.ts'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../../packages/server/src/base/domain/attributes/attribute-catalogue.ts'
import type { Grant } from '../../../packages/server/src/base/domain/grant.ts'
import { OBJECT_DEFAULTS } from '../../../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../../packages/server/src/base/domain/organization.ts'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import { foldRules } from '../../../packages/server/src/engine/tracking/rules/advance.ts'
import { deriverOn } from '../../../packages/server/testing/records/handed-deriver.ts'
import { setClock } from '../simulation/clock.ts'
import { openDeployment } from '../simulation/deployment.ts'
import { requestBytes } from '../simulation/network.ts'
import { type fixesOf, NOW, OBJECTS } from './any-world.ts'
import { OF_A_REQUEST, OF_A_WORLD } from './of-a-world.ts'

const APART_US = 1_000_001

export type Answer = { path: string; status: number; headers: string[][]; body: string }
type Fixes = ReturnType<typeof fixesOf>

export type World = Awaited<ReturnType<Awaited<ReturnType<typeof openWorlds>>['open']>>

/** Opens worlds, each an organization on a server of its own with a key of these grants. */
export async function openWorlds() {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-granted-'))
  const template = join(folder, 'template')
  await fleetIn(template)
  let opened = 0

  async function open(grants: readonly Grant[]) {
    opened += 1
    const own = join(folder, String(opened))
    cpSync(template, own, { recursive: true })
    const clock = setClock(NOW)
    const deployment = await openDeployment(own, clock, {})
    const { secret, ...stored } = newSecret(API_KEY)
    const scope = { operations: null, grants, windowShare: null }
    const key = { name: 'Shipper', expiresAt: null, ...stored, scope }
    await deployment.store.keys.issue(1, key, NOW)
    const rules = foldRules({ now: () => NOW, monotonic: () => 0 })
    const deriver = deriverOn(deployment.store, 1)

    async function get(path: string): Promise<Answer & { cursor: string | undefined }> {
      const request = requestBytes('GET', `/public/v1${path}`, { 'X-API-Key': secret })
      const { status, headers, body } = (await deployment.api.exchange(request))!
      clock.advanceUs(APART_US)
      const kept = [...headers].filter(([name]) => !OF_A_REQUEST.includes(name))
      return {
        ...{ path: path.replaceAll(OF_A_WORLD, ''), status },
        headers: kept.map(([name, value]) => [name, value.replaceAll(OF_A_WORLD, '')]),
        body: body.replaceAll(OF_A_WORLD, '').replaceAll(secret.slice(0, 12), ''),
        cursor: /"cursor":"([^"]+)"/.exec(body)?.[1],
      }
    }

    return {
      /** One packet for each object, and what is derived from them. */
      async append(fixes: Fixes): Promise<void> {
        for (const own of Map.groupBy(fixes, ({ object }) => object).values()) {
          await deployment.store.positions.append(1, own, rules)
        }
        await deriver.all()
      },
      get,
      failures: deployment.failures,
      async close() {
        await deployment.close()
        rmSync(own, { recursive: true })
      },
    }
  }

  return { open, close: () => rmSync(folder, { recursive: true }) }
}

const entry = (name: string, more: Partial<AttributeEntry> = {}): AttributeEntry =>
  ({
    ...{ ...ATTRIBUTE_DEFAULTS, name, type: 'number', unit: null, label: name },
    ...{ isPublic: true, sources: [name], ...more },
  }) as AttributeEntry

/** An organization of three objects, a place of each type, and a catalogue of attributes. */
async function fleetIn(folder: string): Promise<void> {
  const store = await openSqliteStore(folder)
  const settings = { name: 'Acme', ...ORGANIZATION_DEFAULTS }
  const { id } = await store.organizations.create(settings, NOW)
  const objects = OBJECTS.map((object) => ({
    ...OBJECT_DEFAULTS,
    name: `${object}`,
    ident: `${object}`,
  }))
  await store.objects.put(id, objects, NOW)
  await store.attributes.change(id, () => [
    entry('door', { type: 'boolean' }),
    entry('driver', { type: 'text' }),
    entry('fuel', { isLevel: true }),
  ])
  const named = { name: 'Place', description: null, color: null }
  const square: [number, number][] = [
    [0, 0],
    [1.05, 0],
    [1.05, 2],
    [0, 2],
  ]
  await store.geofences.put(id, [{ ...named, coordinates: square }], NOW)
  await store.routes.put(id, [{ ...named, deviation: 50, points: [], coordinates: [square] }], NOW)
  await store.records.want(id)
  await store.close()
}
