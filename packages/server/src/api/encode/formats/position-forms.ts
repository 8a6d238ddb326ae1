import type { ShownAttributes } from './attribute-forms.ts'
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
  json: (columns) => jsonPositions(columns),
  ndjson: ndjsonPositions,
  csv: csvPositions,
  geojson: geojsonPositions,
  gpx: (_columns, layout) => (layout === 'tracks' ? GPX_TRACKS : GPX_POINTS),
  kml: kmlPositions,
}

const made = new Map<string, PositionForm>()
/** Those of an answer with attributes. */
const madeOf = new WeakMap<ShownAttributes, Map<string, PositionForm>>()

/** How a format writes positions. The form of the same arguments is made once. */
export function positionForm(
  format: Format,
  layout: PositionLayout,
  columns: Columns,
): PositionForm {
  const { hasQuality, isExact, attributes } = columns
  const key = `${format} ${layout} ${hasQuality} ${isExact}`
  const forms = attributes === null ? made : formsOf(attributes)
  const known = forms.get(key)
  if (known !== undefined) return known
  const form = FORMS[format](columns, layout)
  forms.set(key, form)
  return form
}

function formsOf(attributes: ShownAttributes): Map<string, PositionForm> {
  const forms = madeOf.get(attributes) ?? new Map<string, PositionForm>()
  madeOf.set(attributes, forms)
  return forms
}
