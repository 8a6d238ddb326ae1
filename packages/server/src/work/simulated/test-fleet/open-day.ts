import type { KeyObject } from 'node:crypto'
import { passedOn } from '../../../base/domain/common/passed-on.ts'
import type { Credential, TestScenario } from '../../../base/domain/credential.ts'
import { HUNDREDTHS_PER_UNIT } from '../../../base/domain/limits.ts'
import type { Organization } from '../../../base/domain/organization.ts'
import { type Directory, openDirectory } from '../../../data/cache/directory.ts'
import type { Fleet } from '../../../data/cache/fleet-cache.ts'
import {
  amountAt,
  type Charge,
  type ChargeVerdict,
  type DailyQuota,
  type Realtime,
  type Snapshots,
} from '../../../data/live/realtime.ts'
import { ChangeWatch } from '../../../engine/changes/change-watch.ts'
import { KeptJoinedChanges } from '../../../engine/changes/joined-changes.ts'
import { openRouteIndexes } from '../../../engine/journeys/adherence/route-indexes.ts'
import { keptDays } from '../../../engine/journeys/days/kept-days.ts'
import { KeptCoverage } from '../../../engine/journeys/days/read-coverage.ts'
import { openReportTurns } from '../../../engine/journeys/row-reader.ts'
import { type ChangeLogStore, newEpoch } from '../../../engine/store/change-log.ts'
import { type Store, StoreUnavailable } from '../../../engine/store/store.ts'
import { type Api, keptBodies } from '../../../read/api.ts'
import {
  type ChangeReaders,
  openChangeReaders,
  releaseReaders,
} from '../../../read/changes/change-readers.ts'
import type { StreamCounts } from '../../../read/changes/open-streams.ts'
import { openPageRoom, ROOM_OF_ROWS } from '../../../read/rows/page-room.ts'
import { WHOLE_ANSWERS } from '../../../read/rows/whole-answer.ts'
import { DAILY_QUOTA } from './catalogue.ts'
import type { DayStore } from './day-store.ts'

/*
 * This file opens a day of the test fleet: its store, and the API of each scenario with its window and quota.
 */

type DayParts = {
  /** The API of the deployment. */
  liveApi: Api
  snapshots: Snapshots
  /** Seals cursors. */
  secret: KeyObject
  maxStreams: number
  counts: StreamCounts
  failed(error: unknown): void
  /** Whether the day is over. Nothing arrives any more. */
  isOver(): boolean
}

/** The API over the simulated fleet of one day. */
export type OpenDay = {
  /** The fleet as of now. */
  open(key: Credential, scenario: TestScenario): Promise<{ api: Api; fleet: Fleet }>
  /** Answers waiting requests, and ends streams. */
  release(): void
  close(): Promise<void>
}

/** Simulated objects belong to nobody, so no answer discloses anything. */
const NO_DISCLOSURES = { answer: () => {}, rows: () => {} }

export async function openDay(day: DayStore, parts: DayParts): Promise<OpenDay> {
  const { liveApi, snapshots } = parts
  const { clock } = liveApi
  let arriving: Promise<void> | undefined
  let isReleased = false
  let isClosed = false

  /** Has everything arrive that is due. Whoever comes meanwhile waits for the same. */
  function advance(): Promise<void> {
    if (isClosed) return Promise.reject(new StoreUnavailable('The simulated fleet is closed.'))
    arriving ??= day.advance(clock.now()).finally(() => {
      arriving = undefined
    })
    return arriving
  }

  const store = advancedByReaders(day.store, () => (parts.isOver() ? release() : advance()))
  await advance()
  const directory = await openDirectory(store, snapshots, clock)
  const changeWatch = new ChangeWatch(store, (error) => {
    // The fleet was closed during the question.
    if (!(error instanceof StoreUnavailable)) parts.failed(error)
  })
  const scenarios = new Map<TestScenario, ScenarioApi>()

  async function catchUp(): Promise<void> {
    await advance()
    await directory.catchUp()
  }

  function apiOf(scenario: TestScenario): ScenarioApi {
    const known = scenarios.get(scenario)
    if (known !== undefined) return known
    const api = scenarioApi(scenario, { ...parts, store, directory, changeWatch, catchUp })
    scenarios.set(scenario, api)
    // The server may have begun to drain before this request came so far.
    if (isReleased) releaseReaders(api)
    return api
  }

  function release(): void {
    isReleased = true
    for (const each of scenarios.values()) releaseReaders(each)
  }

  return {
    async open(key, scenario) {
      await catchUp()
      const fleet = await directory.fleetOf(day.organization)
      if (fleet === null) throw new Error('the simulated fleet has no organization')
      const api = apiOf(scenario)
      const realtime = scenarioRealtime(liveApi.realtime, snapshots, key.id, scenario)
      const organization = organizationIn(scenario, fleet.organization)
      return { api: { ...api, realtime }, fleet: { ...fleet, organization } }
    },
    release,
    async close() {
      isClosed = true
      release()
      await arriving?.catch(() => undefined)
      changeWatch.close()
      await directory.close()
      await day.close()
    },
  }
}

/**
 * The store of a day for readers that wait for a change. They ask for the newest one now and then, and `asked` is called before,
 * so the fleet needs no timer of its own.
 */
function advancedByReaders(store: Store, asked: () => Promise<void> | void): Store {
  return {
    ...store,
    watch: (listener) => ({ ...store.watch(listener), reportsAll: false }),
    changeLog: {
      ...store.changeLog,
      async newest(organizations) {
        await asked()
        return store.changeLog.newest(organizations)
      },
    },
  }
}

type ScenarioApi = Omit<Api, 'realtime'> & ChangeReaders

/** The day with what all its scenarios read. */
type ScenarioParts = DayParts & {
  store: Store
  directory: Directory
  changeWatch: ChangeWatch
  /** Has everything arrive that is due, and reads what it changed. */
  catchUp(): Promise<void>
}

/** The API of a day as a scenario shows it. The limits are the deployment's. */
function scenarioApi(
  scenario: TestScenario,
  { liveApi, store, directory, changeWatch, catchUp, secret, maxStreams, counts }: ScenarioParts,
): ScenarioApi {
  const { clock } = liveApi
  const seen: Directory = {
    ...directory,
    keys: liveApi.directory.keys,
    async organization(id) {
      const found = await directory.organization(id)
      return found && organizationIn(scenario, found)
    },
  }
  const access = {
    directory: seen,
    clock,
    async catchUp() {
      await liveApi.catchUp()
      await catchUp()
    },
  }
  const { positions, records } = store
  const changeLog = scenario === 'stale' ? staleLog(store.changeLog) : store.changeLog
  return {
    ...passedOn(liveApi, [
      'testFleet',
      'historyLimits',
      'changesDays',
      'usage',
      'url',
      'documents',
      'log',
    ]),
    ...openChangeReaders(changeWatch, access, maxStreams, counts),
    ...access,
    positions,
    views: changeLog,
    joinedChanges: new KeptJoinedChanges(),
    records,
    coverage: new KeptCoverage(store, clock),
    daysOf: keptDays(),
    secret,
    bodies: keptBodies(),
    rowRoom: openPageRoom(ROOM_OF_ROWS),
    inReportTurn: openReportTurns(),
    routeIndexes: openRouteIndexes(),
    disclosures: NO_DISCLOSURES,
    // Each packet of the fleet brings an address, the same in every deployment.
    knownAddresses: null,
  }
}

function organizationIn(scenario: TestScenario, organization: Organization): Organization {
  return scenario === 'suspended' ? { ...organization, subscription: 'suspended' } : organization
}

/** A change log for the scenario `stale`: each view has an epoch of its own, so no cursor is valid. */
function staleLog(log: ChangeLogStore): ChangeLogStore {
  return {
    ...log,
    view: (organization, work, signal) =>
      log.view(organization, (view) => work({ ...view, epoch: newEpoch() }), signal),
  }
}

/** The object whose quota is exhausted in the scenario `exhausted`. */
const EXHAUSTED = 1
/** The wait that the scenario `limited` asks for. */
const LIMITED_US = 1_000_000
/** The window and the streams of a test key are counted under this number and its id. No organization has such an id. */
const WINDOWS = 2 ** 50

/** The realtime port for a test key: its own window and streams, the states of the simulated fleet, and nobody's quota. */
function scenarioRealtime(
  shared: Realtime,
  snapshots: Snapshots,
  key: number,
  scenario: TestScenario,
): Realtime {
  const window = WINDOWS + key
  const quota = scenarioQuota(scenario)
  return {
    async ask(organization, { charge, shown }) {
      const { rate, atUs } =
        scenario === 'limited'
          ? { rate: { admitted: false, remaining: 0, resetUs: LIMITED_US }, atUs: 0 }
          : await shared.ask(window, { charge: null, shown: [] })
      if (!rate.admitted) return { rate, atUs, charge: null, states: null }
      return {
        rate,
        atUs,
        charge: charge && (await quota.charge(organization, charge)),
        states: await snapshots.read(organization, shown),
      }
    },
    giveBack: (_organization, _needs, atUs) => shared.giveBack(window, {}, atUs),
    quota,
    snapshots,
    streams: {
      lineUp: (holder, limit) =>
        shared.streams.lineUp(holder < WHOLE_ANSWERS ? window : WHOLE_ANSWERS + window, limit),
    },
    close: () => Promise.resolve(),
  }
}

/** Each charge is the first of its day. */
function scenarioQuota(scenario: TestScenario): DailyQuota {
  const usedBefore = (object: number) =>
    scenario === 'exhausted' && object === EXHAUSTED ? DAILY_QUOTA * HUNDREDTHS_PER_UNIT : 0

  function verdict(charge: Charge): ChargeVerdict {
    const { objects, limit, ableToPay = [] } = charge
    const most = limit === null ? Number.POSITIVE_INFINITY : limit * HUNDREDTHS_PER_UNIT
    const after = objects.map((object, index) => usedBefore(object) + amountAt(charge, index))
    const exhausted = [
      ...objects.filter((_, index) => after[index]! > most),
      ...ableToPay.filter((object) => usedBefore(object) + HUNDREDTHS_PER_UNIT > most),
    ]
    if (exhausted.length > 0) {
      return { charged: false, exhausted, left: exhausted.map((each) => most - usedBefore(each)) }
    }
    if (objects.length === 0) return { charged: true, used: null }
    return { charged: true, used: after.reduce((highest, each) => Math.max(highest, each), 0) }
  }

  return {
    charge: async (_organization, charge) => verdict(charge),
    used: async (_organization, objects) => objects.map(usedBefore),
    giveBack: async () => undefined,
  }
}
