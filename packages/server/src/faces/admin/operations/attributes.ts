import { ADMINISTRATORS, OVERSEERS, objectOf, organizationOf, VIEWERS } from '../../../acts/act.ts'
import {
  ATTRIBUTES,
  attributesDocument,
  CURRENT_ATTRIBUTES,
  currentDocument,
  PUBLISHED,
  SENT_VALUES,
  sentBy,
  sentValues,
} from '../../../acts/attribute-values.ts'
import {
  ATTRIBUTE_PATCH,
  CHOSEN_ATTRIBUTES,
  hideAttributes,
  namesIn,
  publicationOf,
  publishAttributes,
  removeAttributes,
  setAttribute,
  TO_PUBLISH,
} from '../../../acts/attributes.ts'
import { type IntegerSchema, integerIn, requiredInstant } from '../../../acts/input.ts'
import { invalid } from '../../../acts/refused.ts'
import { takeTurn } from '../../../base/domain/common/slots.ts'
import type { SentName } from '../../../base/domain/position/current-attributes.ts'
import { breach, texts } from '../../../base/domain/setting-rule.ts'
import type { Fleet } from '../../../data/cache/fleet.ts'
import type { Attributes } from '../../../engine/store/item-store.ts'
import { type Call, operations } from '../admin-api.ts'
import { fleetOf } from './organizations.ts'

const ALL = '/organizations/{organization}/attributes'
const OF_OBJECT = '/organizations/{organization}/objects/{object}/attributes'
const MAX_SOURCES = 200
const SOURCES = texts(`1 to ${MAX_SOURCES} names that the device sends`, MAX_SOURCES, () => true)
const MOMENT = { type: 'string', format: 'date-time' } as const

const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: 1_000, default: 200 }
const FIRST_PAGE = { after: null, limit: LIMIT.default! }

type States = Parameters<typeof sentBy>[0]

/**
 * Counts what devices send, as of everything that was committed, and answers. An organization has one count under way, and
 * others get their turn between two.
 */
async function counted<Answer>(
  call: Call,
  answer: (sent: SentName[]) => Promise<Answer>,
  statesOf: (fleet: Fleet) => Promise<States> = (fleet) => fleet.committed(),
): Promise<Answer> {
  const fleet = await fleetOf(call)
  return call.api.inTurn(fleet.organization.id, async () => {
    await takeTurn()
    return answer(await sentBy(await statesOf(fleet)))
  })
}

/** Runs an act on the catalogue, and shows the result. */
function answerOf(call: Call, act: () => Promise<Attributes>) {
  return counted(call, async (sent) => attributesDocument(await act(), sent, FIRST_PAGE))
}

/** The states that the process has at hand: consoles ask again and again. */
async function statesAtHand(fleet: Fleet): Promise<States> {
  return new Map((await fleet.warm()).map(({ object, state }) => [object.id, state]))
}

export const ATTRIBUTE_OPERATIONS = operations('Attributes', [
  {
    id: 'listAttributes',
    method: 'GET',
    path: ALL,
    who: OVERSEERS,
    summary: 'The catalogue of attributes, and the values that devices send',
    query: {
      after: {
        schema: { type: 'string' },
        description: 'Only names of devices after this one: the `next` of the page before.',
      },
      limit: { schema: LIMIT, description: 'How many names of devices.' },
    },
    answers: ATTRIBUTES,
    async run(call) {
      const page = {
        after: call.query.get('after'),
        limit: integerIn(call.query, 'limit', LIMIT),
      }
      const { attributes } = call.store
      return counted(
        call,
        async (sent) =>
          attributesDocument(await attributes.list(call.params.organization!), sent, page),
        statesAtHand,
      )
    },
  },
  {
    id: 'setAttribute',
    method: 'PATCH',
    path: ALL,
    who: ADMINISTRATORS,
    summary: 'Add an attribute, or change settings of the one with this name',
    takes: ATTRIBUTE_PATCH,
    answers: ATTRIBUTES,
    run(call) {
      const given = ATTRIBUTE_PATCH.in(call.body)
      return answerOf(call, () => setAttribute(call.store, call.params.organization!, given))
    },
  },
  {
    id: 'publishAttributes',
    method: 'POST',
    path: `${ALL}/publish`,
    who: ADMINISTRATORS,
    summary: 'Show attributes to keys; names that devices send become attributes',
    takes: TO_PUBLISH,
    status: 200,
    answers: PUBLISHED,
    async run(call) {
      const { body, store, params } = call
      TO_PUBLISH.in(body)
      const { dry_run: isDry = false } = body
      if (typeof isDry !== 'boolean') throw invalid({ field: 'dry_run', rule: 'must be a boolean' })
      const wanted = {
        names: body.names === null ? null : namesIn(body),
        except: body.except === undefined ? [] : namesIn(body, 'except'),
      }
      return counted(call, async (sent) => {
        const { entries, ...names } = isDry
          ? publicationOf(await store.attributes.list(params.organization!), wanted, sent)
          : await publishAttributes(store, params.organization!, wanted, sent)
        return { ...attributesDocument(entries, sent, FIRST_PAGE), ...names }
      })
    },
  },
  {
    id: 'hideAttributes',
    method: 'POST',
    path: `${ALL}/hide`,
    who: ADMINISTRATORS,
    summary: 'Hide attributes from keys',
    takes: CHOSEN_ATTRIBUTES,
    status: 200,
    answers: ATTRIBUTES,
    run: (call) =>
      answerOf(call, () => hideAttributes(call.store, call.params.organization!, chosenIn(call))),
  },
  {
    id: 'removeAttributes',
    method: 'POST',
    path: `${ALL}/remove`,
    who: ADMINISTRATORS,
    summary: 'Remove attributes; stored values stay',
    takes: CHOSEN_ATTRIBUTES,
    status: 200,
    answers: ATTRIBUTES,
    run: (call) =>
      answerOf(call, () => removeAttributes(call.store, call.params.organization!, chosenIn(call))),
  },
  {
    id: 'listCurrentAttributes',
    method: 'GET',
    path: OF_OBJECT,
    who: VIEWERS,
    summary: 'The current values of an object',
    answers: CURRENT_ATTRIBUTES,
    async run(call) {
      const fleet = await fleetOf(call)
      const { id, organization } = await objectOf(call)
      const state = (await fleet.committed([id])).get(id)
      return currentDocument(
        await call.store.attributes.list(organization),
        state?.attributes ?? [],
      )
    },
  },
  {
    id: 'getSentValues',
    method: 'GET',
    path: `${OF_OBJECT}/values`,
    who: VIEWERS,
    summary: 'The values that the device of an object sent in a range of time',
    query: {
      from: { schema: MOMENT, description: 'The first moment.', isRequired: true },
      to: { schema: MOMENT, description: 'The last moment.', isRequired: true },
      source: {
        schema: SOURCES.schema,
        description:
          'A name that the device sends. Repeat the parameter for several names. Default: all.',
      },
    },
    answers: SENT_VALUES,
    async run(call) {
      const asked = Object.fromEntries(call.query)
      const range = { from: requiredInstant(asked, 'from'), to: requiredInstant(asked, 'to') }
      if (range.to < range.from) throw invalid({ field: 'to', rule: 'must not be before from' })
      const sources = sourcesIn(call)
      await organizationOf(call)
      const { positions } = call.store
      return sentValues(positions, await objectOf(call), range, sources)
    },
  },
])

/** The names that a request asks for. Null: all. */
function sourcesIn({ query }: Call): readonly string[] | null {
  if (!query.has('source')) return null
  const sources = query.getAll('source')
  if (SOURCES.holds(sources)) return sources
  throw invalid({ field: 'source', rule: breach(SOURCES, sources) })
}

function chosenIn({ body }: Call): readonly string[] {
  CHOSEN_ATTRIBUTES.in(body)
  return namesIn(body)
}
