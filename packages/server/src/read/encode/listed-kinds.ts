import { toJson } from '../../base/domain/common/plain-json.ts'
import { inOneStep, runAtOnce, type Steps } from '../../base/domain/common/steps.ts'
import type { Items, ListTopic } from '../../base/domain/item-rules.ts'
import type { LonLat, Waypoint } from '../../base/domain/places/place.ts'
import type { TextsOf } from '../../engine/store/item-store.ts'
import type { Format } from '../formats/formats.ts'
import { linesText, pointOf, polygonText } from '../formats/geojson.ts'
import {
  GEOFENCE_FIELDS,
  linesJson,
  ROUTE_FIELDS,
  ringJson,
  SITE_FIELDS,
  waypointsJson,
} from './listed-fields.ts'
import { jsonOf, type RowFields, rowOf, tableOf } from './row-fields.ts'
import {
  type AnyRowForm,
  filled,
  type Lists,
  type LongRowKind,
  longRowForm,
  type Row,
  type RowKind,
  rowForm,
} from './rows.ts'
import type { Tag } from './tags.ts'

/** How answers show the items of a kind that have settings alone. */
export type ListedKind<Item> = {
  readonly tag: Tag
  /** An item, as a sentence. */
  readonly description: string
  /** The description of the operation that lists them. */
  readonly listed: string
  readonly fields: RowFields<Item>
} & (RowKind<Item> | LongRowKind<TextsOf<Item>>)

export const LISTED_KINDS: { readonly [Topic in ListTopic]: ListedKind<Items[Topic]> } = {
  geofences: {
    tag: 'Places',
    description: 'A zone with the shape of a polygon.',
    listed: 'All polygon zones of your organization by `id`, ascending.',
    fields: GEOFENCE_FIELDS,
    ...long(GEOFENCE_FIELDS, { coordinates: [] }),
    *lists({ coordinates }) {
      return { coordinates: yield* ringJson(coordinates as string | LonLat[]) }
    },
    geometry: ({ coordinates }: Lists) => polygonText(coordinates!),
    inGeometry: ['coordinates'],
  },
  routes: {
    tag: 'Places',
    description: 'A planned route with its waypoints and its geometry.',
    listed:
      'All planned routes of your organization by `id`, ascending, with waypoints and geometry.',
    fields: ROUTE_FIELDS,
    ...long(ROUTE_FIELDS, { points: [], coordinates: [] }),
    *lists({ points, coordinates }) {
      return {
        points: yield* waypointsJson(points as string | Waypoint[]),
        coordinates: yield* linesJson(coordinates as string | LonLat[][]),
      }
    },
    geometry: ({ coordinates }: Lists) => linesText(coordinates!),
    inGeometry: ['coordinates'],
  },
  sites: {
    tag: 'Places',
    description: 'A point of interest with the shape of a circle.',
    listed: 'All circular points of interest of your organization by `id`, ascending.',
    fields: SITE_FIELDS,
    ...flat(SITE_FIELDS),
    geometry: ({ longitude, latitude }: Row) => pointOf(longitude, latitude),
    inGeometry: ['latitude', 'longitude'],
  },
}

/** A kind with long lists. `empty`: its lists, empty. */
function long<Item>(fields: RowFields<Item>, empty: Partial<Item>) {
  const row = rowOf(fields)
  const frame = (item: TextsOf<Item>) => row({ ...item, ...empty } as Item, 'km')
  return { ...tableOf(fields), frame }
}

function flat<Item>(fields: RowFields<Item>) {
  const [row, json] = [rowOf(fields), jsonOf(fields)]
  return {
    ...tableOf(fields),
    row: (item: Item) => row(item, 'km'),
    json: (item: Item) => json(item, 'km'),
  }
}

/** How a format writes the rows of a kind. */
export function listedForm<Topic extends ListTopic>(
  topic: Topic,
  format: Format,
): AnyRowForm<TextsOf<Items[Topic]>> {
  const kind = LISTED_KINDS[topic] as RowKind<unknown> | LongRowKind<unknown>
  return 'frame' in kind ? longRowForm(format, kind) : rowForm(format, kind)
}

/** The JSON of an item, in steps. Its lists may be their stored texts. */
export function writeListed<Topic extends ListTopic>(
  topic: Topic,
  item: Items[Topic] | TextsOf<Items[Topic]>,
): Steps<string> {
  const kind = LISTED_KINDS[topic] as RowKind<unknown> | LongRowKind<unknown>
  return 'frame' in kind ? writeLong(kind, item) : inOneStep(() => kind.json!(item))
}

function* writeLong<Item>({ frame, lists }: LongRowKind<Item>, item: Item): Steps<string> {
  return filled(frame(item), yield* lists(item))
}

/** The JSON of an item. */
export function encodeListed<Topic extends ListTopic>(topic: Topic, item: Items[Topic]): string {
  return runAtOnce(writeListed(topic, item))
}

/** The JSON of an item's geometry in GeoJSON. Null: the kind has none. */
export function geometryOf<Topic extends ListTopic>(
  topic: Topic,
  item: TextsOf<Items[Topic]>,
): Steps<string | null> {
  const kind = LISTED_KINDS[topic] as RowKind<unknown> | LongRowKind<unknown>
  if ('frame' in kind) return kind.geometry(item as never)
  return inOneStep(() => toJson(kind.geometry?.(item as never, item) ?? null))
}
