/** A folder or file at the top of the server's source. CONTRIBUTING.md has one row for each. */
export type SourcePart = {
  name: string
  holds: string
  /** The folders that its files may import, in addition to `domain` and their own. */
  mayImport: readonly string[]
}

/** The folders, each after those that it imports. A new folder needs an entry here. */
export const FOLDERS: readonly SourcePart[] = [
  {
    name: 'domain',
    holds:
      'objects, fixes and their packed record, states, places, organizations, settings, times. Pure: imports nothing, not even Node.js',
    mayImport: [],
  },
  {
    name: 'http',
    holds:
      'the HTTP server below the three listeners: TLS, limits and draining of connections, answers to broken requests',
    mayImport: [],
  },
  {
    name: 'access',
    holds: 'API keys, feed tokens, authentication, the sliding log. Pure',
    mayImport: [],
  },
  {
    name: 'tracking',
    holds:
      'folds fixes into positions and object states: batches and late fixes, over the tables that a store provides. `tracking/rules`: acceptance, motion, trips, counters (pure)',
    mayImport: [],
  },
  {
    name: 'store',
    holds:
      'the port to lasting data, for which `sqlite` and `postgres` are the adapters; `store/tables` what both do alike, `store/positions` positions, their blocks and what is asked of both, `store/copy` makes one store a copy of another',
    mayImport: ['tracking'],
  },
  {
    name: 'sqlite',
    holds: 'lasting data in a data folder: the database file, its log, the stores over it',
    mayImport: ['tracking', 'store'],
  },
  {
    name: 'postgres',
    holds: 'lasting data in PostgreSQL: connections, migrations, partitions, the stores over them',
    mayImport: ['tracking', 'store'],
  },
  {
    name: 'live',
    holds:
      'the port to current, shared data: rate window, daily quota, snapshots; `live/memory` and `live/redis` are its adapters',
    mayImport: ['access'],
  },
  {
    name: 'geocoding',
    holds: 'the port to addresses; `geocoding/offline` and `geocoding/nominatim` are its adapters',
    mayImport: [],
  },
  {
    name: 'cache',
    holds:
      'keys, feed tokens, owners of idents, organizations and fleets in the memory of a serving process',
    mayImport: ['access', 'store', 'live'],
  },
  {
    name: 'tasks',
    holds: 'background work: deletes expired rows, folds rows again, finds addresses',
    mayImport: ['store', 'geocoding'],
  },
  {
    name: 'import',
    holds: 'reads CSV, NDJSON, GeoJSON, GPX, KML and the exports of phones',
    mayImport: ['tracking', 'store', 'cache'],
  },
  {
    name: 'changes',
    holds:
      'pages of the change log, the objects and states that they keep, and the watch that wakes its readers',
    mayImport: ['store'],
  },
  {
    name: 'journeys',
    holds:
      'derives trips, stops and visits from stored positions, slice by slice after the change log, and computes days, coverage and adherence to routes when they are asked for. `journeys/rules`: what records are, and what a late position changes of them (pure)',
    mayImport: ['tracking', 'store', 'tasks', 'changes'],
  },
  {
    name: 'api',
    holds: 'the public listener',
    mayImport: ['http', 'access', 'store', 'live', 'cache', 'changes', 'journeys'],
  },
  {
    name: 'feed',
    holds: 'the listener for positions, and its formats',
    mayImport: ['http', 'access', 'tracking', 'store', 'live', 'cache'],
  },
  {
    name: 'usage',
    holds: 'counts of answered requests by key',
    mayImport: ['store'],
  },
  {
    name: 'webhooks',
    holds: 'sends changes to the endpoints of organizations',
    mayImport: ['access', 'store', 'live', 'cache', 'tasks', 'changes', 'api'],
  },
  {
    name: 'simulated',
    holds:
      'fleets that nobody drives. `simulated/demo`: the demo fleet. `simulated/test-fleet`: what test keys see, a store of a day that follows the clock, the scenarios',
    mayImport: [
      'access',
      'tracking',
      'store',
      'live',
      'cache',
      'import',
      'changes',
      'journeys',
      'api',
    ],
  },
  {
    name: 'operator',
    holds:
      'what the admin API and the command line share as faces of the operator’s acts: bodies with their checks and descriptions, documents, refusals, the audit log',
    mayImport: ['access', 'tracking', 'store', 'import', 'api', 'webhooks'],
  },
  {
    name: 'admin',
    holds:
      'the operator’s listener: the console’s API and files, metrics, health, readiness. It writes the fields of an object as the API does',
    mayImport: [
      'http',
      'access',
      'tracking',
      'store',
      'live',
      'cache',
      'tasks',
      'import',
      'changes',
      'journeys',
      'api',
      'usage',
      'webhooks',
      'operator',
    ],
  },
]

/** The files above the folders, and the command line. Each may import all folders, and the earlier ones of these. */
export const TOP: readonly Omit<SourcePart, 'mayImport'>[] = [
  { name: 'serve-settings.ts', holds: 'the open parts and settings of a serving process' },
  {
    name: 'outage-log.ts',
    holds: 'logs outages of the store and of the limits once, and counts what fails',
  },
  {
    name: 'listeners.ts',
    holds: 'opens the listeners of a process’s roles, over the parts of their APIs',
  },
  { name: 'background.ts', holds: 'starts the work that runs alongside requests' },
  { name: 'serve.ts', holds: 'makes a serving process of the listeners and the background work' },
  { name: 'compose.ts', holds: 'the only file that chooses adapters' },
  { name: 'cli', holds: 'the command line' },
  { name: 'main.ts', holds: 'starts the command line' },
]

/** Only `compose.ts` chooses adapters. Those of the store have a folder each; those of other ports are sub-folders. */
export const STORE_ADAPTERS: readonly string[] = ['sqlite', 'postgres']
export const PORTS: readonly string[] = ['store', 'live', 'geocoding']
/** Sub-folders of ports that work over any adapter. */
export const OVER_PORTS: readonly string[] = ['store/copy']
