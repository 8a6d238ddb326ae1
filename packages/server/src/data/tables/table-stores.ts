import { setImmediate } from 'node:timers/promises'
import { LIST_TOPICS, type ListTopic } from '../../base/domain/item-rules.ts'
import type { ListStores } from '../../engine/store/item-store.ts'
import type { PackingCounts, PositionStore } from '../../engine/store/position-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { accessStore, attemptStore } from './access.ts'
import { accountStore } from './accounts.ts'
import { attributeStore } from './attribute-tables.ts'
import { auditStore, disclosureStore, usageStore } from './audit-tables.ts'
import { coverageStore } from './coverage.ts'
import {
  API_KEYS,
  DEPLOYMENT_TOKENS,
  FEED_TOKENS,
  keyStore,
  linkStore,
} from './credential-tables.ts'
import { refusedIdentStore } from './ident-owners.ts'
import { type ItemKind, KINDS, ofKinds } from './item-columns.ts'
import { itemReader } from './item-reader.ts'
import { type ItemParts, itemStore } from './item-tables.ts'
import { objectCreator, objectStore } from './object-tables.ts'
import { savedMappingStore } from './organization-tables.ts'
import { objectsAfter } from './record-reads.ts'
import { routingStore } from './routing-tables.ts'
import type { Tables } from './sql.ts'
import { webhookStore } from './webhook-tables.ts'

/** The parts of a store that both databases keep alike. `partsOf`: what a database does its own way with items. */
export function tableStores(
  tables: Tables,
  partsOf: (table: ItemKind<object>['table']) => ItemParts,
) {
  const items = <Settings extends object>(kind: ItemKind<Settings>) => ({
    ...itemStore(tables, partsOf(kind.table), kind),
    ...itemReader(tables, kind),
  })
  const objectParts = partsOf(KINDS.objects.table)
  return {
    keys: keyStore(tables, API_KEYS),
    feedTokens: keyStore(tables, FEED_TOKENS),
    links: linkStore(tables),
    deploymentTokens: keyStore(tables, DEPLOYMENT_TOKENS),
    objects: { ...objectStore(tables, objectParts), ...itemReader(tables, KINDS.objects) },
    routing: routingStore(tables, objectParts, objectCreator(objectParts)),
    ...ofKinds<ListTopic, ListStores>(LIST_TOPICS, items),
    refusedIdents: refusedIdentStore(tables),
    savedMappings: savedMappingStore(tables),
    attributes: attributeStore(tables),
    accounts: accountStore(tables),
    access: accessStore(tables),
    attempts: attemptStore(tables),
    audit: auditStore(tables),
    usage: usageStore(tables),
    disclosures: disclosureStore(tables),
    webhooks: webhookStore(tables),
    coverage: coverageStore(tables),
  } satisfies { [Part in keyof Store]?: Partial<Store[Part]> }
}

/** A slice takes about a millisecond. */
const SLICE_BLOCKS = 1_000
const SLICE_OBJECTS = 50
/** Rows that are counted of a slice of objects. After a pass of packing they have a few thousand. */
const MAX_ROWS = 20_000

const BLOCKS = `
  SELECT object, first_time AS first, rows, length(block) AS bytes FROM position_blocks
  WHERE organization = $1 AND (object, first_time) > ($2, $3)
  ORDER BY object, first_time LIMIT ${SLICE_BLOCKS}`

type BlockSize = { object: number; first: number; rows: number; bytes: number }

/** Counts in slices, with time for others in between. */
export function packingCounter({ dialect, read }: Tables): PositionStore['packingCounts'] {
  const { isIn, list } = dialect
  const unpacked = `
    SELECT count(*) AS rows, coalesce(sum(bytes), 0) AS bytes FROM (
      SELECT length(fix) + length(track) AS bytes FROM positions WHERE organization = $1 AND ${isIn('object', '$2')} AND time_device < $3
      LIMIT ${MAX_ROWS}
    ) AS counted`

  async function addBlocks(organization: number, counts: PackingCounts): Promise<void> {
    let last = { object: 0, first: 0 }
    for (let size = SLICE_BLOCKS; size === SLICE_BLOCKS; ) {
      const values = [organization, last.object, last.first]
      const blocks = await read(({ all }) => all<BlockSize>(BLOCKS, values))
      for (const { rows, bytes } of blocks) {
        counts.blocks += 1
        counts.packed += rows
        counts.packedBytes += bytes
      }
      last = blocks.at(-1) ?? last
      size = blocks.length
      await setImmediate()
    }
  }

  async function addRows(organization: number, before: number, counts: PackingCounts) {
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after
      const slice = await read((sql) => objectsAfter(sql, organization, from, SLICE_OBJECTS))
      const values = [organization, list(slice), before]
      const found = await read(({ one }) => one<{ rows: number; bytes: number }>(unpacked, values))
      counts.unpacked += found!.rows
      counts.unpackedBytes += found!.bytes
      after = slice.length < SLICE_OBJECTS ? null : slice.at(-1)!
      await setImmediate()
    }
  }

  return async (organization, before) => {
    const counts = { blocks: 0, packed: 0, packedBytes: 0, unpacked: 0, unpackedBytes: 0 }
    await addBlocks(organization, counts)
    await addRows(organization, before, counts)
    return counts
  }
}
