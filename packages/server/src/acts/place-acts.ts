import { runInTurns } from '../base/domain/common/slots.ts'
import type { Steps } from '../base/domain/common/steps.ts'
import {
  byTopic,
  ITEM_NOUNS,
  ITEM_RULES,
  type Items,
  LIST_TOPICS,
  type ListTopic,
  schemaNameOf,
} from '../base/domain/item-rules.ts'
import { type PlaceLimit, placeLimitFact } from '../base/domain/limits.ts'
import type { Rule, Rules } from '../base/domain/setting-rule.ts'
import type { ItemStore, TextsOf } from '../engine/store/item-store.ts'
import type { Store } from '../engine/store/store.ts'
import { geometryOf, LISTED_KINDS, writeListed } from '../read/encode/listed-kinds.ts'
import { filled, rowsParts, wholeOrStreamed } from '../read/encode/rows.ts'
import { GEOJSON_AROUND } from '../read/formats/geojson.ts'
import { type Act, type ActCall, ADMINISTRATORS, acts, organizationOf, VIEWERS } from './act.ts'
import { JsonReply, StreamedReply } from './act-reply.ts'
import * as doc from './document-schema.ts'
import { newInput, patchInput } from './input.ts'
import { conflict, existing, limitReached, notFound, refuseTakenName } from './refused.ts'

const FEATURE_COLLECTION = doc.named(
  'FeatureCollection',
  doc.plain<unknown>({ type: 'object' }, 'GeoJSON (RFC 7946).'),
)

/** An item as it is answered. */
type Row = Record<string, unknown>
/** The fields of an item that are not settings. */
type Stored = { id: number; organization: number; createdAt: number; updatedAt: number }

/** The acts on the items of each kind that has settings alone. */
export const PLACE_ACTS = byTopic(LIST_TOPICS, (topic) =>
  actsOn(topic, ITEM_RULES[topic] as Rules<{ name: string }>),
)

export const ALL_PLACE_ACTS: readonly Act[] = LIST_TOPICS.flatMap((topic) => {
  const { export: exported, list, ...others } = PLACE_ACTS[topic]
  const files = 'geometry' in LISTED_KINDS[topic] ? [exported] : []
  return [list, ...files, ...Object.values<Act>(others)]
})

function actsOn<Settings extends { name: string }>(topic: ListTopic, rules: Rules<Settings>) {
  type Item = Settings & Stored
  const noun = ITEM_NOUNS[topic]
  const Noun = schemaNameOf(noun)
  const { description, tag } = LISTED_KINDS[topic]
  const of = (store: Store) => store[topic] as unknown as ItemStore<Item, Settings>
  const write = (item: Item | TextsOf<Item>) => writeListed(topic, item as never)
  const replyOf = async (item: Item) => new JsonReply<Row>(await runInTurns(write(item)))
  const all = `/organizations/{organization}/${topic}`
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

  return acts(tag, {
    list: {
      id: `list${Noun}s`,
      method: 'GET',
      path: all,
      who: VIEWERS,
      summary: `List ${topic}`,
      answers: doc.items(place, `${Noun}s, by id.`, `${Noun}s`),
      async run(call) {
        const { id } = await organizationOf(call)
        const form = { head: '{"items":[', between: ',', tail: ']}', write }
        const parts = rowsParts(of(call.store).pages(id), form)
        const headers = { 'Content-Type': 'application/json; charset=utf-8' }
        return listReply<{ items: Row[] }>(parts, headers)
      },
    },
    export: {
      id: `export${Noun}s`,
      method: 'GET',
      path: `${all}.geojson`,
      who: VIEWERS,
      summary: `All ${topic} as a GeoJSON file, which can be imported again`,
      answers: FEATURE_COLLECTION,
      async run(call) {
        const { id } = await organizationOf(call)
        const write = (item: TextsOf<Item>) => featureOf(topic, item as never)
        return listReply(rowsParts(of(call.store).pages(id), { ...GEOJSON_AROUND, write }), {
          'Content-Type': 'application/geo+json',
          'Content-Disposition': `attachment; filename="${topic}-${id}.geojson"`,
        })
      },
    },
    create: {
      id: `create${Noun}`,
      method: 'POST',
      path: all,
      who: ADMINISTRATORS,
      summary: `Create a ${noun}`,
      takes: created,
      answers: place,
      async run(call) {
        const { id: owner } = await organizationOf(call)
        const settings = await runInTurns(created.inSteps(call.body))
        return createdIn(call, of(call.store), { owner, noun }, settings, replyOf)
      },
    },
    get: {
      id: `get${Noun}`,
      method: 'GET',
      path: one,
      who: VIEWERS,
      summary: `One ${noun}`,
      answers: place,
      async run({ store, params }) {
        const item = await of(store).find(params.organization!, params.place!)
        return replyOf(existing(item, noun))
      },
    },
    update: {
      id: `update${Noun}`,
      method: 'PATCH',
      path: one,
      who: ADMINISTRATORS,
      summary: `Change a ${noun}`,
      takes: changed,
      answers: place,
      async run({ store, inTurn, params, body, now }) {
        const patch = await runInTurns(changed.inSteps(body))
        const [owner, id] = [params.organization!, params.place!]
        return inTurn(owner, async () => {
          await refuseTakenName(of(store), owner, noun, patch, id)
          const updated = await of(store).update(owner, id, patch, now)
          if (updated === null || updated === 'ident_taken') throw notFound(noun)
          if ('max' in updated) throw beyondLimit(updated)
          return replyOf(updated)
        })
      },
    },
    delete: {
      id: `delete${Noun}`,
      method: 'DELETE',
      path: one,
      who: ADMINISTRATORS,
      summary: `Delete a ${noun}`,
      async run({ store, params }) {
        existing(await of(store).delete(params.organization!, params.place!), noun)
      },
    },
  })
}

async function createdIn<Settings extends { name: string }>(
  { inTurn, now }: ActCall,
  items: ItemStore<Settings & Stored, Settings>,
  { owner, noun }: { owner: number; noun: string },
  settings: Settings,
  replyOf: (item: Settings & Stored) => Promise<JsonReply<Row>>,
): Promise<JsonReply<Row>> {
  return inTurn(owner, async () => {
    // `put` would take a place of the same name for it and change that.
    await refuseTakenName(items, owner, noun, settings)
    const [put] = await items.put(owner, [settings], now)
    if ('max' in put!) throw beyondLimit(put)
    if (!('id' in put!)) throw conflict('the name or ident is already in use')
    return replyOf({
      ...settings,
      ...{ id: put.id, organization: owner, createdAt: now, updatedAt: now },
    })
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
  return limitReached(field, text, 'delete places')
}

/** A long list is made as the client takes it. */
async function listReply<Value>(
  parts: AsyncGenerator<Buffer>,
  headers: Readonly<Record<string, string>>,
): Promise<JsonReply<Value> | StreamedReply<Value>> {
  const body = await wholeOrStreamed(parts)
  return Buffer.isBuffer(body) ? new JsonReply(body, headers) : new StreamedReply(body, headers)
}
