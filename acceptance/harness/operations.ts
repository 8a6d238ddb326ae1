import { WHOLE_DAYS, WHOLE_RANGE } from './fleet-data.ts'
import type { FleetRecord } from './make-fleet.ts'

export type Operation = { name: string; path(organization: FleetRecord): string }

/** The operations that need a key, each with a request that answers 200. */
export const OPERATIONS: Operation[] = [
  { name: 'GET /objects', path: () => '/objects' },
  { name: 'GET /objects/{id}', path: ({ objects }) => `/objects/${objects.van}` },
  {
    name: 'GET /objects/{id}/positions',
    path: ({ objects }) => `/objects/${objects.van}/positions?${WHOLE_RANGE}`,
  },
  { name: 'GET /positions/latest', path: ({ objects }) => `/positions/latest?ids=${objects.van}` },
  {
    name: 'GET /positions/at',
    path: ({ objects }) => `/positions/at?time=2024-05-07&ids=${objects.van}`,
  },
  {
    name: 'GET /positions',
    path: ({ objects }) => `/positions?ids=${objects.van}&${WHOLE_RANGE}`,
  },
  { name: 'GET /geofences', path: () => '/geofences' },
  { name: 'GET /routes', path: () => '/routes' },
  { name: 'GET /sites', path: () => '/sites' },
  ...['trips', 'stops', 'visits'].map((records) => ({
    name: `GET /${records}`,
    path: ({ objects }: FleetRecord) => `/${records}?ids=${objects.van}&${WHOLE_RANGE}`,
  })),
  {
    name: 'GET /days',
    path: ({ objects }) => `/days?ids=${objects.van}&${WHOLE_DAYS}`,
  },
  {
    name: 'GET /coverage',
    path: ({ objects }) => `/coverage?ids=${objects.van}&${WHOLE_DAYS}`,
  },
  {
    name: 'GET /routes/{id}/adherence',
    path: ({ route, objects }) => `/routes/${route}/adherence?object=${objects.van}&${WHOLE_RANGE}`,
  },
  { name: 'GET /key', path: () => '/key' },
  { name: 'GET /usage', path: () => '/usage' },
  { name: 'GET /changes', path: () => '/changes?types=objects' },
]

/** Operations that are subject to the subscription. */
const isOfPositions = ({ name }: Operation) =>
  /positions|trips|stops|visits|days|coverage|adherence/.test(name)

/** The operations whose answers caches keep under an entity tag. */
export const CACHED_OPERATIONS = OPERATIONS.filter(
  (operation) => !isOfPositions(operation) && !/changes|key|usage/.test(operation.name),
)

/** The operations that are subject to the subscription: history, latest, coverage and records. */
export const POSITION_OPERATIONS = OPERATIONS.filter(isOfPositions)
