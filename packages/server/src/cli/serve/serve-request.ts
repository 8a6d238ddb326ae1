import type { Tiles } from '../../admin/admin-api.ts'
import type { DeploymentLocation } from '../../compose.ts'
import type { Role } from '../../serve-settings.ts'
import type { SharedOptions } from '../command.ts'
import type { DeploymentLocationOptions } from '../location.ts'
import type { GeocoderOptions } from './geocoder-option.ts'
import type { SignOnOptions } from './sign-on-options.ts'

/** The parsed options of `fleetgate serve`. */
export type ServeOptions = SharedOptions &
  DeploymentLocationOptions &
  GeocoderOptions &
  SignOnOptions & {
    role: readonly Role[]
    processes: number
    host: string
    port: number
    adminHost: string
    adminPort: number
    feedPort: number
    tlsCert?: string
    tlsKey?: string
    trustProxy: string[]
    maxConnectionsPerAddress: number
    maxHistoryRows?: number
    maxHistoryDays?: number
    changesDays: number
    maxStreams: number
    webhookNetworks: string[]
    apiUrl?: string
    contact?: string
    feedUrl?: string
    consoleUrl?: string
    mapTiles?: Tiles
    mapAttribution?: string
    demo?: boolean
  }

/** The validated options of a server. */
export type ServeRequest = { options: ServeOptions; location: DeploymentLocation }
