import type { ServerResponse } from 'node:http'
import type { Disclosing } from '../../acts/disclosing.ts'
import { showsTheSame } from '../../base/domain/organization.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { Directory } from '../../data/cache/directory.ts'
import { type ChangeWatch, untilChanged } from '../../engine/changes/change-watch.ts'
import { waitUnlessAborted } from '../../engine/repeat.ts'
import type { ChangeLogStore, ChangeView } from '../../engine/store/change-log.ts'
import { updateEvents, type WatchedFleet, watchedFleet, wholeEvent } from './watched-fleet.ts'

/*
 * The live map: what changes in a fleet, and the stream of it to a browser.
 */

/** The shortest time between two updates of a fleet. */
const EVERY_MS = 250
/** A quiet fleet is looked at as often: the system's clock may be set, and then objects fall silent at another time. */
const MAX_WAIT_MS = 15_000
/** With more new changes, reading all states is faster than reading which of them changed. */
const MAX_CHANGES = 5_000

/**
 * Watches the places of organizations' objects. One reader of the change log serves all watchers of a fleet, and an
 * unwatched organization costs nothing.
 */
export type Live = {
  /**
   * Sends all objects with a position first, as server-sent events. Returns a function that ends the watch. `ended`
   * is called when the organization is deleted.
   */
  watch(organization: number, send: Send, ended: () => void): () => void
  /** Ends all watches. */
  close(): void
}

/** `fleet`: all objects that the watch shows. */
type Send = (events: Buffer, fleet: ShownFleet) => void
type ShownFleet = Pick<WatchedFleet, 'size' | 'ids'>
type Watcher = { send: Send; ended: () => void }
/** The fleet is as of change `asOf`, as the organization shows it. */
type Reached = Pick<ChangeView, 'asOf' | 'epoch' | 'organization'>
type Watched = {
  readonly organization: number
  readonly watchers: Set<Watcher>
  readonly fleet: WatchedFleet
  /** Undefined until the fleet was read. */
  reached: Reached | undefined
  /** The event of all objects, made for the first watcher that comes after an update. */
  whole: Buffer | undefined
  /** Aborted when the last watcher has left. */
  readonly leaving: AbortController
}

type Parts = {
  changeLog: ChangeLogStore
  changeWatch: Pick<ChangeWatch, 'wait' | 'leave'>
  directory: Directory
  clock: Clock
  failed: (error: unknown) => void
}

export function openLive({ changeLog, changeWatch, directory, clock, failed }: Parts): Live {
  const watched = new Map<number, Watched>()

  async function follow(followed: Watched): Promise<void> {
    const { organization, leaving } = followed
    while (!leaving.signal.aborted) {
      const isRead = await update(followed).catch((error) => {
        if (!leaving.signal.aborted) failed(error)
      })
      await waitUnlessAborted(EVERY_MS, leaving.signal)
      if (isRead !== true || leaving.signal.aborted) continue
      const waitMs = Math.min(MAX_WAIT_MS, followed.fleet.signalUntil() - clock.now() + 1)
      const reader = { known: followed.reached!.asOf, takesRecords: false }
      await untilChanged(changeWatch, organization, reader, waitMs, leaving.signal)
    }
  }

  /** Sends what has changed. Returns true if the fleet is up to date. */
  async function update(followed: Watched): Promise<boolean> {
    const { organization, fleet, leaving } = followed
    const read = await changeLog.view(
      organization,
      (view) => changesSince(view, followed.reached),
      leaving.signal,
    )
    await directory.catchUp()
    const owner = await directory.fleetOf(organization)
    if (read === null || owner === null) {
      end(followed)
      return false
    }
    const states = await owner.committed(read.objects)
    const objects = read.objects ?? new Set([...fleet.ids(), ...states.keys()])
    const movement = fleet.update(objects, states, read.reached.organization, clock.now())
    const isFirst = followed.reached === undefined
    followed.reached = read.reached
    followed.whole = undefined
    const events = isFirst ? wholeOf(followed) : updateEvents(movement, read.areListsOutdated)
    if (events !== null) for (const { send } of followed.watchers) send(events, fleet)
    return true
  }

  function end(followed: Watched): void {
    for (const { ended } of [...followed.watchers]) ended()
  }

  return {
    watch(organization, send, ended) {
      const existing = watched.get(organization)
      const followed = existing ?? newWatched(organization)
      const watcher = { send, ended }
      followed.watchers.add(watcher)
      if (existing === undefined) {
        watched.set(organization, followed)
        void follow(followed)
      } else if (followed.reached !== undefined) {
        send(wholeOf(followed), followed.fleet)
      }
      return () => {
        followed.watchers.delete(watcher)
        if (followed.watchers.size > 0) return
        followed.leaving.abort()
        if (watched.get(organization) === followed) watched.delete(organization)
      }
    },
    close() {
      for (const followed of [...watched.values()]) end(followed)
    },
  }
}

function newWatched(organization: number): Watched {
  return {
    organization,
    watchers: new Set(),
    fleet: watchedFleet(),
    reached: undefined,
    whole: undefined,
    leaving: new AbortController(),
  }
}

function wholeOf(followed: Watched): Buffer {
  followed.whole ??= wholeEvent(followed.fleet.all())
  return followed.whole
}

type Changed = {
  /** Undefined: any object may have changed. */
  objects: number[] | undefined
  /** Whether objects were added, deleted or given other settings. */
  areListsOutdated: boolean
}

/** How far a view reaches, and the objects that changed after `before`. */
async function changesSince(
  view: ChangeView,
  before: Reached | undefined,
): Promise<Changed & { reached: Reached }> {
  const { asOf, epoch, organization } = view
  const changed =
    before !== undefined && isContinued(view, before)
      ? await changedIn(view, before)
      : { objects: undefined, areListsOutdated: true }
  return { ...changed, reached: { asOf, epoch, organization } }
}

/** Whether the log leads from what was reached to the view. */
function isContinued(view: ChangeView, { asOf, epoch, organization }: Reached): boolean {
  const count = view.asOf - asOf
  return (
    epoch === view.epoch &&
    asOf >= view.oldest - 1 &&
    count >= 0 &&
    count <= MAX_CHANGES &&
    showsTheSame(organization, view.organization)
  )
}

async function changedIn(view: ChangeView, { asOf }: Reached): Promise<Changed> {
  const objects = new Set<number>()
  let areListsOutdated = false
  for (const { entries } of await view.changes(asOf, view.asOf - asOf)) {
    for (const { topic, id } of entries.items) {
      if (topic !== 'objects') continue
      objects.add(id)
      areListsOutdated = true
    }
    for (const { object } of entries.objects) objects.add(object)
  }
  return { objects: [...objects], areListsOutdated }
}

/** The time between heartbeats, so that no proxy takes a quiet stream for a dead one. */
const BEAT_MS = 15_000
/** A browser reconnects after this time. */
const RETRY_MS = 2_000
/** Drop a client that reads too slowly. It reconnects and starts again. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

export const LIVE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const

/**
 * Answers with the events of an organization's fleet. The stream ends with the response, when the organization is
 * deleted, or when `isLetIn`, asked at each heartbeat, says that the watcher has lost access.
 */
export function streamLive(
  live: Live,
  organization: number,
  response: ServerResponse,
  isLetIn: () => Promise<boolean>,
  disclosed: Pick<Disclosing, 'fleet'>,
): void {
  // A client may disconnect during the check. Look again afterwards, or its disconnect is lost.
  if (response.destroyed) return
  response.writeHead(200, LIVE_HEADERS)
  response.write(`retry: ${RETRY_MS}\n\n`)
  const beat = setInterval(() => void keepAlive(), BEAT_MS)

  async function keepAlive(): Promise<void> {
    // A failed check does not end the stream.
    if (!(await isLetIn().catch(() => true))) end()
    else if (!response.writableEnded) response.write(':\n\n')
  }

  /** End it at once: unread data may keep it open for a long time, and nothing may follow. */
  function end(): void {
    leave()
    response.end()
  }

  function leave(): void {
    response.off('close', leave)
    clearInterval(beat)
    stop()
  }

  function send(events: Buffer, { size, ids }: ShownFleet): void {
    if (response.writableEnded) return
    response.write(events)
    disclosed.fleet(size(), ids)
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy()
  }

  const stop = live.watch(organization, send, end)
  response.once('close', leave)
}
