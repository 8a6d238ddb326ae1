import { csvPositions } from './csv.ts'
import type { Format } from './formats.ts'
import { geojsonPositions } from './geojson.ts'
import { GPX_POINTS, GPX_TRACKS } from './gpx.ts'
import { jsonPositions, ndjsonPositions } from './json.ts'
import { kmlPositions } from './kml.ts'
import type { Columns, PositionForm } from './position-form.ts'

/** Whether an answer has many positions of each object, or one. */
export type PositionLayout = 'tracks' | 'points'

type FormOf = (columns: Columns, layout: PositionLayout) => PositionForm

const FORMS: Record<Format, FormOf> = {
  json: jsonPositions,
  ndjson: ndjsonPositions,
  csv: csvPositions,
  geojson: geojsonPositions,
  gpx: (_columns, layout) => (layout === 'tracks' ? GPX_TRACKS : GPX_POINTS),
  kml: kmlPositions,
}

const made = new Map<string, PositionForm>()

/** How a format writes positions. The form of the same arguments is made once. */
export function positionForm(
  format: Format,
  layout: PositionLayout,
  columns: Columns,
): PositionForm {
  const key = `${format} ${layout} ${columns.hasQuality} ${columns.isExact}`
  const known = made.get(key)
  if (known !== undefined) return known
  const form = FORMS[format](columns, layout)
  made.set(key, form)
  return form
}
