import type { KeyObject } from 'node:crypto'
import type { Api } from '../../api/api.ts'
import {
  type ChangeReaders,
  openChangeReaders,
  openPageRoom,
  ROOM_OF_ROWS,
  releaseReaders,
} from '../../api/changes/change-readers.ts'
import type { StreamCounts } from '../../api/changes/open-streams.ts'
import { keptBodies } from '../../api/exchange/kept-bodies.ts'
import { type Directory, openDirectory } from '../../cache/directory.ts'
import type { Fleet } from '../../cache/fleet.ts'
import { ChangeWatch } from '../../changes/change-watch.ts'
import type { Credential, TestScenario } from '../../domain/credential.ts'
import type { Organization } from '../../domain/organization.ts'
import { openRouteIndexes } from '../../journeys/adherence/route-indexes.ts'
import { KeptCoverage } from '../../journeys/days/read-coverage.ts'
import { openWaitingLine } from '../../journeys/row-reader.ts'
import type { Snapshots } from '../../live/realtime.ts'
import { type ChangeLogStore, newEpoch } from '../../store/change-log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import type { DayStore } from './day-store.ts'
import { scenarioRealtime } from './scenario-realtime.ts'

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
    ...liveApi,
    ...openChangeReaders(changeWatch, access, maxStreams, counts),
    ...access,
    positions,
    views: changeLog,
    records,
    coverage: new KeptCoverage(store, clock),
    secret,
    bodies: keptBodies(),
    rowRoom: openPageRoom(ROOM_OF_ROWS),
    reportLine: openWaitingLine(),
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
