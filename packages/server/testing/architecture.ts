/** A folder or file at the top of the server's source. CONTRIBUTING.md has one row for each. */
export type SourcePart = {
  name: string
  holds: string
  /** The folders that its files may import, besides `domain` and their own. */
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
    name: 'fold',
    holds:
      'folds fixes into positions and object states: batches and late fixes, over the tables that a store provides. `tracking/rules`: acceptance, motion, trips, counters (pure)',
    mayImport: [],
  },
  {
    name: 'store',
    holds:
      'the port to lasting data; `store/sqlite` and `store/postgres` are its adapters, `store/tables` what both do alike, `store/positions` the form of positions in blocks',
    mayImport: ['fold'],
  },
  {
    name: 'realtime',
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
    name: 'directory',
    holds:
      'keys, feed tokens, owners of idents, organizations and fleets in the memory of a serving process',
    mayImport: ['access', 'store', 'realtime'],
  },
  {
    name: 'upkeep',
    holds: 'background work: deletes expired rows, folds rows again, finds addresses',
    mayImport: ['store', 'geocoding'],
  },
  {
    name: 'import',
    holds: 'reads CSV, NDJSON, GeoJSON, GPX, KML and the exports of phones',
    mayImport: ['fold', 'store', 'directory'],
  },
  {
    name: 'copy',
    holds: 'makes one store a copy of another, and compares them',
    mayImport: ['store'],
  },
  {
    name: 'changes',
    holds:
      'pages of the change log, the objects and states that they keep, and the watch that wakes its readers',
    mayImport: ['store'],
  },
  {
    name: 'records',
    holds:
      'derives trips, stops and visits from stored positions, slice by slice after the change log. `journeys/rules`: what they are, and what a late position changes of them (pure)',
    mayImport: ['fold', 'store', 'upkeep', 'changes'],
  },
  {
    name: 'reports',
    holds:
      'computes days, coverage, and adherence to routes, from stored positions when they are asked for',
    mayImport: ['fold', 'store', 'records'],
  },
  {
    name: 'api',
    holds: 'the public listener',
    mayImport: ['http', 'access', 'store', 'realtime', 'directory', 'changes', 'reports'],
  },
  {
    name: 'feed',
    holds: 'the listener for positions, and its formats',
    mayImport: ['http', 'access', 'fold', 'store', 'realtime', 'directory'],
  },
  {
    name: 'usage',
    holds: 'counts of answered requests by key',
    mayImport: ['store'],
  },
  {
    name: 'webhooks',
    holds: 'sends changes to the endpoints of organizations',
    mayImport: ['access', 'store', 'realtime', 'directory', 'upkeep', 'changes', 'api'],
  },
  {
    name: 'test-fleet',
    holds:
      'the simulated fleet of test keys: what its vehicles send, a store of a day that follows the clock, the scenarios',
    mayImport: ['fold', 'store', 'realtime', 'directory', 'changes', 'records', 'reports', 'api'],
  },
  {
    name: 'operator',
    holds:
      'what the admin API and the command line share as faces of the operator’s acts: bodies with their checks and descriptions, documents, refusals, the audit log',
    mayImport: ['access', 'fold', 'store', 'import', 'api', 'webhooks'],
  },
  {
    name: 'admin',
    holds:
      'the operator’s listener: the console’s API and files, metrics, health, readiness. It writes the fields of an object as the API does',
    mayImport: [
      'http',
      'access',
      'fold',
      'store',
      'realtime',
      'directory',
      'upkeep',
      'import',
      'changes',
      'records',
      'reports',
      'api',
      'usage',
      'webhooks',
      'operator',
    ],
  },
  {
    name: 'demo',
    holds: 'the demo fleet',
    mayImport: ['access', 'fold', 'store', 'directory', 'import'],
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

/** Their sub-folders are adapters, which only `compose.ts` chooses. */
export const PORTS: readonly string[] = ['store', 'realtime', 'geocoding']
