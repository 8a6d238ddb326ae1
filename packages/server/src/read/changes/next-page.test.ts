import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { handedClock } from '../../../testing/handed-clock.ts'
import { type MonitoredObject, OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS, type Organization } from '../../base/domain/organization.ts'
import type { Charge, ChargeVerdict } from '../../data/live/realtime.ts'
import type { WaitingReader } from '../../engine/changes/change-watch.ts'
import { NO_ENTRIES } from '../../engine/store/change-entries.ts'
import type { ReaderView } from '../../engine/store/change-log.ts'
import type { Api } from '../api.ts'
import type { Refusal } from '../refusal.ts'
import { openPageRoom, ROOM_OF_CHANGES } from '../rows/page-room.ts'
import { awaitPage, type NextPage, nextPagesOf, type PageTaker } from './next-page.ts'

/** The hundredths that each object can pay. */
const QUOTA = 4
const ORGANIZATIONS = [1, 2]
/** Views of streams. All see the same changes, and each shows them under a name of its own. */
const VIEWS = [
  { sight: undefined, limit: 1_000, skipsExhausted: false, types: null },
  { sight: undefined, limit: 1_000, skipsExhausted: true, types: null },
  { sight: undefined, limit: 3, skipsExhausted: true, types: null },
  { sight: undefined, limit: 1_000, skipsExhausted: true, types: ['objects', 'states'] },
  { sight: 'one', limit: 1_000, skipsExhausted: true, types: null },
  { sight: 'other', limit: 1_000, skipsExhausted: true, types: null },
] as const

type Step =
  | { is: 'open'; organization: number; view: number }
  | { is: 'commit'; organization: number }
  | { is: 'slow' | 'fast' | 'leave'; stream: number }
  /** Passes of the event loop until the next step. */
  | { is: 'pause'; passes: number }

const anyOrganization = fc.constantFrom(...ORGANIZATIONS)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    is: fc.constant('open' as const),
    organization: anyOrganization,
    view: fc.nat(VIEWS.length - 1),
  }),
  fc.record({ is: fc.constant('commit' as const), organization: anyOrganization }),
  fc.record({
    is: fc.constantFrom('slow' as const, 'fast' as const, 'leave' as const),
    stream: fc.nat(4),
  }),
  fc.record({ is: fc.constant('pause' as const), passes: fc.integer({ min: 1, max: 8 }) }),
)

type Change = { type: string; seq: number; object: { id: number; name: string } }

/** A client. `changes`: those that it got. */
class Client implements PageTaker {
  readonly organization: Organization
  readonly name: string
  /** The newest change as of its first page. */
  begun: number | undefined
  next: NextPage | undefined
  readonly changes: Change[] = []
  isSlow = false
  hasLeft = false
  refusal: Refusal | undefined
  failure: unknown
  #taken: (() => void) | undefined

  constructor(organization: Organization, name: string) {
    this.organization = organization
    this.name = name
  }

  hasEnded = () => this.hasLeft || this.refusal !== undefined
  wantsEmpty = () => this.begun === undefined

  send({ body }: Parameters<PageTaker['send']>[0]): Promise<void> | undefined {
    assert.ok(this.#taken === undefined, 'the client has not taken the page before')
    assert.ok(Buffer.isBuffer(body))
    const { as_of, changes } = JSON.parse(body.toString().split('\ndata: ')[1]!)
    this.begun ??= as_of as number
    this.changes.push(...changes)
    if (!this.isSlow) return undefined
    return new Promise((resolve) => {
      this.#taken = resolve
    })
  }

  become(is: 'slow' | 'fast' | 'leave'): void {
    if (is === 'leave') {
      this.hasLeft = true
      this.next?.leave(this)
      return
    }
    this.isSlow = is === 'slow'
    if (this.isSlow) return
    this.#taken?.()
    this.#taken = undefined
  }

  async endWith(refusal: Refusal): Promise<void> {
    this.refusal = refusal
  }

  async fail(error: unknown): Promise<void> {
    this.failure = error
  }
}

/** Streams of a process. Change number `seq` of an organization adds the object with this id. */
function process() {
  const newest = new Map(ORGANIZATIONS.map((id) => [id, 0]))
  const used = new Map<string, number>()
  const waiting = new Map(ORGANIZATIONS.map((id) => [id, new Set<WaitingReader>()]))

  const organizationOf = (id: number): Organization => ({
    ...ORGANIZATION_DEFAULTS,
    name: `${id}`,
    dailyQuota: 1,
    ...{ id, createdAt: 0, updatedAt: 0 },
  })

  function viewOf(id: number, name: string): ReaderView {
    const asOf = newest.get(id)!
    const objectOf = (object: number): MonitoredObject => ({
      ...OBJECT_DEFAULTS,
      ...{ id: object, organization: id, name, ident: `${object}`, createdAt: 0, updatedAt: 0 },
    })
    const changeOf = (seq: number) => {
      const items = [{ topic: 'objects' as const, id: seq, isDeleted: false }]
      return { seq, at: 0, entries: { ...NO_ENTRIES, items } }
    }
    return {
      ...{ asOf, epoch: 'epoch', oldest: 1, organization: organizationOf(id) },
      progress: async () => null,
      tasks: async () => [],
      changes: async (after: number, limit: number) =>
        Array.from({ length: Math.min(limit, asOf - after) }, (_, at) => changeOf(after + 1 + at)),
      items: async (topic: string, ids: readonly number[]) =>
        topic === 'objects' ? ids.map(objectOf) : [],
      states: async () => new Map(),
    } as unknown as ReaderView
  }

  async function charge(id: number, charge: Charge): Promise<ChargeVerdict> {
    const amounts = charge.objects.map((object, at) => ({
      object,
      key: `${id} ${object}`,
      amount: charge.hundredths?.[at] ?? 100,
    }))
    const leftOf = (key: string) => QUOTA - (used.get(key) ?? 0)
    const short = amounts.filter(({ key, amount }) => amount > leftOf(key))
    if (short.length > 0) {
      const left = short.map(({ key }) => leftOf(key))
      return { charged: false, exhausted: short.map(({ object }) => object), left }
    }
    for (const { key, amount } of amounts) used.set(key, (used.get(key) ?? 0) + amount)
    return { charged: true, used: 0 }
  }

  const shared = {
    streams: {} as Api['streams'],
    pageRoom: openPageRoom(ROOM_OF_CHANGES),
    joinedChanges: { for: () => undefined },
    clock: handedClock(),
    secret: createSecretKey(Buffer.alloc(32)),
    knownAddresses: null,
    directory: { organization: organizationOf },
    realtime: { quota: { charge } },
    changeWatch: {
      wait(id: number, reader: WaitingReader) {
        waiting.get(id)!.add(reader)
        // Something was committed since the reader looked.
        if (reader.known < newest.get(id)!) queueMicrotask(() => reader.wake())
      },
      leave: (id: number, reader: WaitingReader) => void waiting.get(id)!.delete(reader),
    },
  }

  return {
    used,
    nextPages: nextPagesOf(shared.streams),
    newest: (id: number) => newest.get(id)!,
    commit(id: number): void {
      newest.set(id, newest.get(id)! + 1)
      for (const reader of [...waiting.get(id)!]) reader.wake()
    },
    open(id: number, number: number): Client {
      const { sight, limit, skipsExhausted, types } = VIEWS[number]!
      const name = `${id} ${number}`
      const client = new Client(organizationOf(id), name)
      const views = {
        async view(organization: number, work: (view: ReaderView) => Promise<unknown>) {
          assert.equal(organization, id)
          await new Promise(setImmediate)
          return work(viewOf(id, name))
        },
      }
      const opened = { sight, types: new Set(['objects', 'states']) }
      const wanted = { types, ids: null, include: [] }
      const reading = { at: null, wanted, catalogue: () => [], opened }
      awaitPage(
        { ...shared, views } as unknown as Api,
        { reading: reading as never, query: { from: 'now', limit, skipsExhausted } },
        [client],
      )
      return client
    },
  }
}

async function pass(passes: number): Promise<void> {
  for (let done = 0; done < passes; done += 1) await new Promise(setImmediate)
}

const seqsOf = (client: Client, types: readonly string[]) =>
  client.changes.filter(({ type }) => types.includes(type)).map(({ seq }) => seq)

describe('The next page of streams', () => {
  it('shows each stream every change in order, under its own view, and charges what it shows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 60 }), async (steps) => {
        const server = process()
        const clients: Client[] = []
        for (const step of steps) {
          if (step.is === 'open') clients.push(server.open(step.organization, step.view))
          else if (step.is === 'commit') server.commit(step.organization)
          else if (step.is === 'pause') await pass(step.passes)
          else clients[step.stream]?.become(step.is)
        }
        for (const client of clients) client.become('fast')
        // Everything happens that waits for nothing else.
        await pass(100)
        const shown = new Map<string, number>()
        for (const client of clients) {
          const { id } = client.organization
          assert.equal(client.failure, undefined)
          for (const change of client.changes) {
            if (change.type === 'object') assert.equal(change.object.name, client.name)
            const key = `${id} ${change.seq}`
            if (change.type === 'state') shown.set(key, (shown.get(key) ?? 0) + 1)
          }
          const from = (client.begun ?? 0) + 1
          const objects = seqsOf(client, ['object'])
          const states = seqsOf(client, ['state', 'withheld'])
          const inOrder = Array.from({ length: objects.length }, (_, at) => from + at)
          assert.deepEqual(objects, inOrder)
          if (client.hasEnded()) continue
          assert.deepEqual(states, inOrder)
          assert.equal(from + objects.length, server.newest(id) + 1)
        }
        for (const [key, count] of shown) assert.ok(count <= server.used.get(key)!, key)
        for (const [key, amount] of server.used) {
          assert.ok(amount <= QUOTA, key)
          const hasLeft = clients.some((client) => client.hasLeft)
          if (!hasLeft) assert.equal(amount, shown.get(key), key)
        }
        const open = new Set(clients.filter((client) => !client.hasEnded()).map(({ next }) => next))
        assert.deepEqual(new Set(server.nextPages.values()), open)
      }),
    )
  })
})
