import type { AddressInfo } from 'node:net'
import type { Clock } from '../base/domain/time/time.ts'
import type { Geocoder } from '../base/geocoding/geocoder.ts'
import type { Tls } from '../base/http/http-server.ts'
import type { Logger } from '../base/http/listener-log.ts'
import type { Directory } from '../data/cache/directory.ts'
import type { Realtime } from '../data/live/realtime.ts'
import type { ChangeWatch } from '../engine/changes/change-watch.ts'
import type { KeptJoinedChanges } from '../engine/changes/joined-changes.ts'
import type { ReaderViews } from '../engine/store/change-log.ts'
import type { Store } from '../engine/store/store.ts'
import type { SignOnSettings } from '../faces/admin/access/sign-on-settings.ts'
import type { ServerFacts } from '../faces/admin/admin-api.ts'
import type { HistoryLimits } from '../read/api.ts'
import type { OpenInMemory } from '../work/simulated/test-fleet/open-test-fleet.ts'
import type { SharedStates } from '../work/tasks/reconciling.ts'

/**
 * The roles of a process. `api` answers requests. `feed` takes positions and runs the background work.
 * `admin` serves the operator's console.
 */
export type Role = 'api' | 'feed' | 'admin'

export type ServeSettings = {
  roles: readonly Role[]
  host: string
  /** 0 takes a free one. */
  port: number
  feedPort: number
  tls: Tls | undefined
  trustedProxies: string[]
  /** On each listener; 0 means no limit. Loopback and trusted proxies have none. */
  maxConnectionsPerAddress: number
  historyLimits: HistoryLimits
  /** Streams of changes that the process holds. */
  maxStreams: number
  /** Days for which the change log is kept. */
  changesDays: number
  /** Networks to which webhooks may be delivered in addition to the public internet, in CIDR notation. */
  webhookNetworks: readonly string[]
  /** The address of the API for clients, as the operator gave it. Empty if the operator gave none. */
  apiUrl: string
  /** An e-mail address or a URL where integrators ask for help. Null if unknown. */
  contact: string | null
  /** Null: people sign in to the console with passwords alone. */
  signOn: SignOnSettings | null
  /** The console's surroundings, known once the listeners are open. */
  about(api: AddressInfo | null, feed: AddressInfo | null): ServerFacts
}

export type Parts = {
  store: Store
  realtime: Realtime
  /** Null if no other process serves the same data. This process then does all background work. */
  shared: SharedStates | null
  /** For the simulated fleet of test keys. */
  openInMemory: OpenInMemory
  /** Null if only packets bring addresses. */
  geocoder: Geocoder | null
  clock: Clock
  logger: Logger
}

/** The current state of the store, as a process keeps it in memory for its listeners and background work. */
export type Current = {
  directory: Directory
  changeWatch: ChangeWatch
  /** The moments of organizations from which pages of changes are made: those of the API and of webhooks name the same objects. */
  views: ReaderViews
  joinedChanges: KeptJoinedChanges
}
