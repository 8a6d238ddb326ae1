import { ADMINISTRATORS, organizationOf, VIEWERS } from '../../../acts/act.ts'
import { newInput, patchInput } from '../../../acts/input.ts'
import { conflict, notFound, refuseTakenName } from '../../../acts/refused.ts'
import * as doc from '../../../acts/schema.ts'
import { runInTurns } from '../../../base/domain/common/slots.ts'
import type { Steps } from '../../../base/domain/common/steps.ts'
import {
  ITEM_NOUNS,
  ITEM_RULES,
  type Items,
  LIST_TOPICS,
  type ListTopic,
  schemaNameOf,
} from '../../../base/domain/items.ts'
import { type PlaceLimit, placeLimitFact } from '../../../base/domain/limits.ts'
import type { Rule, Rules } from '../../../base/domain/setting-rule.ts'
import type { ItemStore, TextsOf } from '../../../engine/store/item-store.ts'
import type { Store } from '../../../engine/store/store.ts'
import { geometryOf, LISTED_KINDS, writeListed } from '../../../read/encode/listed-kinds.ts'
import { filled, rowsParts, wholeOrStreamed } from '../../../read/encode/rows.ts'
import { GEOJSON_AROUND } from '../../../read/formats/geojson.ts'
import {
  type AdminOperation,
  type Call,
  type GivenOperation,
  JsonReply,
  operations,
  StreamedReply,
} from '../admin-api.ts'

const FEATURE_COLLECTION = doc.named(
  'FeatureCollection',
  doc.plain<unknown>({ type: 'object' }, 'GeoJSON (RFC 7946).'),
)

/** The fields of an item that are not settings. */
type Stored = { id: number; organization: number; createdAt: number; updatedAt: number }

export const PLACE_OPERATIONS: AdminOperation[] = LIST_TOPICS.flatMap((topic) =>
  operationsOf(topic, ITEM_RULES[topic] as Rules<{ name: string }>),
)

function operationsOf<Settings extends { name: string }>(
  path: ListTopic,
  rules: Rules<Settings>,
): AdminOperation[] {
  const parts = partsOf(path, rules)
  const made = operations(LISTED_KINDS[path].tag, [
    ...listOperations(parts),
    ...placeOperations(parts),
  ])
  return 'geometry' in LISTED_KINDS[path]
    ? made
    : made.filter(({ id }) => id !== `export${parts.Noun}s`)
}

type Parts<Settings extends { name: string }> = ReturnType<typeof partsOf<Settings>>

/** The parts that the operations of one kind of places share. */
function partsOf<Settings extends { name: string }>(path: ListTopic, rules: Rules<Settings>) {
  type Item = Settings & Stored
  const noun = ITEM_NOUNS[path]
  const Noun = schemaNameOf(noun)
  const { description } = LISTED_KINDS[path]
  const of = (store: Store) => store[path] as unknown as ItemStore<Item, Settings>
  const write = (item: Item | TextsOf<Item>) => writeListed(path, item as never)
  const all = `/organizations/{organization}/${path}`
  const one = `${all}/{place}`
  const place = doc.record(
    {
      id: doc.integer('Id.'),
      ...doc.settingFields(rules),
      created_at: doc.instant('When it was created.'),
      updated_at: doc.instant('When it was last changed.'),
    },
    description,
    Noun,
  )
  const created = newInput(`New${Noun}`, rules, {}, `A ${noun} to create.`)
  const changed = patchInput(`${Noun}Patch`, rules, `The fields of a ${noun} that change.`)
  const replyOf = async (item: Item) => new JsonReply(await runInTurns(write(item)))
  return { path, noun, Noun, of, write, all, one, place, created, changed, replyOf }
}

function listOperations<Settings extends { name: string }>({
  path,
  Noun,
  of,
  write,
  all,
  place,
}: Parts<Settings>): GivenOperation[] {
  return [
    {
      id: `list${Noun}s`,
      method: 'GET',
      path: all,
      who: VIEWERS,
      summary: `List ${path}`,
      answers: doc.items(place, `${Noun}s, by id.`, `${Noun}s`),
      async run(call) {
        const { id } = await organizationOf(call)
        const form = { head: '{"items":[', between: ',', tail: ']}', write }
        const parts = rowsParts(of(call.api.store).pages(id), form)
        return listReply(parts, { 'Content-Type': 'application/json; charset=utf-8' })
      },
    },
    {
      id: `export${Noun}s`,
      method: 'GET',
      path: `${all}.geojson`,
      who: VIEWERS,
      summary: `All ${path} as a GeoJSON file, which can be imported again`,
      answers: FEATURE_COLLECTION,
      async run(call) {
        const { id } = await organizationOf(call)
        const write = (item: TextsOf<Settings & Stored>) => featureOf(path, item as never)
        return listReply(rowsParts(of(call.api.store).pages(id), { ...GEOJSON_AROUND, write }), {
          'Content-Type': 'application/geo+json',
          'Content-Disposition': `attachment; filename="${path}-${id}.geojson"`,
        })
      },
    },
  ]
}

function placeOperations<Settings extends { name: string }>(
  parts: Parts<Settings>,
): GivenOperation[] {
  const { noun, Noun, of, all, one, place, created, changed, replyOf } = parts
  return [
    {
      id: `create${Noun}`,
      method: 'POST',
      path: all,
      who: ADMINISTRATORS,
      summary: `Create a ${noun}`,
      takes: created,
      answers: place,
      run: (call) => createdPlace(call, parts),
    },
    {
      id: `get${Noun}`,
      method: 'GET',
      path: one,
      who: VIEWERS,
      summary: `One ${noun}`,
      answers: place,
      async run({ api, params }) {
        const item = await of(api.store).find(params.organization!, params.place!)
        if (item === null) throw notFound(noun)
        return replyOf(item)
      },
    },
    {
      id: `update${Noun}`,
      method: 'PATCH',
      path: one,
      who: ADMINISTRATORS,
      summary: `Change a ${noun}`,
      takes: changed,
      answers: place,
      async run({ store, api, params, body, now }) {
        const patch = await runInTurns(changed.inSteps(body))
        const [owner, id] = [params.organization!, params.place!]
        return api.inTurn(owner, async () => {
          await refuseTakenName(of(api.store), owner, noun, patch, id)
          const updated = await of(store).update(owner, id, patch, now)
          if (updated === null || updated === 'ident_taken') throw notFound(noun)
          if ('max' in updated) throw beyondLimit(updated)
          return replyOf(updated)
        })
      },
    },
    {
      id: `delete${Noun}`,
      method: 'DELETE',
      path: one,
      who: ADMINISTRATORS,
      summary: `Delete a ${noun}`,
      async run({ store, params }) {
        if (!(await of(store).delete(params.organization!, params.place!))) throw notFound(noun)
      },
    },
  ]
}

async function createdPlace<Settings extends { name: string }>(
  call: Call,
  { noun, of, created, replyOf }: Parts<Settings>,
): Promise<JsonReply> {
  const { store, api, body, now } = call
  const { id: owner } = await organizationOf(call)
  const settings = await runInTurns(created.inSteps(body))
  return api.inTurn(owner, async () => {
    // `put` would take a place of the same name for it and change that.
    await refuseTakenName(of(api.store), owner, noun, settings)
    const [put] = await of(store).put(owner, [settings], now)
    if ('max' in put!) throw beyondLimit(put)
    if (!('id' in put!)) throw conflict('it is taken')
    const stored = { id: put.id, organization: owner, createdAt: now, updatedAt: now }
    return replyOf({ ...settings, ...stored } as Settings & Stored)
  })
}

/** The JSON of an item in GeoJSON: its settings are properties, apart from those that the geometry has. */
function* featureOf<Topic extends ListTopic>(
  topic: Topic,
  item: TextsOf<Items[Topic]>,
): Steps<string> {
  const { inGeometry = [] } = LISTED_KINDS[topic]
  const properties: Record<string, unknown> = {}
  const lists: Record<string, string> = {}
  for (const [setting, { schema }] of Object.entries<Rule>(ITEM_RULES[topic])) {
    if (inGeometry.includes(setting)) continue
    const value = item[setting as never] as unknown
    const isList = schema.type === 'array'
    properties[setting] = isList ? [] : value
    if (isList) lists[setting] = value as string
  }
  const geometry = yield* geometryOf(topic, item)
  return `{"type":"Feature","id":${item.id},"geometry":${geometry},"properties":${filled(properties, lists)}}`
}

function beyondLimit(limit: PlaceLimit) {
  const { field, text } = placeLimitFact(limit)
  return conflict(`${text}: raise ${field}, or delete places`, field)
}

/** A long list is made as the client takes it. */
async function listReply(parts: AsyncGenerator<Buffer>, headers: Readonly<Record<string, string>>) {
  const body = await wholeOrStreamed(parts)
  return Buffer.isBuffer(body) ? new JsonReply(body, headers) : new StreamedReply(body, headers)
}
