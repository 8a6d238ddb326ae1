import type { FieldText, PositionForm } from './position-form.ts'
import { writeXmlText, XML_DECLARATION, xmlText } from './xml-text.ts'

const HEAD = `${XML_DECLARATION}<gpx version="1.1" creator="Fleetgate" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n`

/** Millionths of a km/h in a hundredth of a metre per second. */
const MICROS_PER_CM_PER_SECOND = 36_000

const PLACE: readonly FieldText[] = [
  { name: 'latitude', before: ' lat="', after: '"', none: '' },
  { name: 'longitude', before: ' lon="', after: '">', none: '' },
  element('altitude', 'ele'),
  element('time_device', 'time'),
]

const REST: readonly (FieldText | string)[] = [
  element('address', 'desc'),
  '<extensions><gpxtpx:TrackPointExtension>',
  { ...element('speed', 'gpxtpx:speed'), hundredth: MICROS_PER_CM_PER_SECOND },
  element('angle', 'gpxtpx:course'),
  '</gpxtpx:TrackPointExtension></extensions>',
]

const AROUND = {
  ...{ head: HEAD, tail: '</gpx>\n', between: '' },
  ...{ hasUnseen: false, text: xmlText, writeText: writeXmlText },
}

/** GPX 1.1: a track for each object. Speed and course are Garmin's extension. */
export const GPX_TRACKS: PositionForm = {
  ...AROUND,
  openObject: (name) => `<trk><name>${xmlText(name)}</name><trkseg>\n`,
  closeObject: '</trkseg></trk>\n',
  fields: ['<trkpt', ...PLACE, ...REST, '</trkpt>\n'],
}

/** GPX 1.1: a waypoint for each object, at its one position. */
export const GPX_POINTS: PositionForm = {
  ...AROUND,
  ...{ openObject: () => '', closeObject: '' },
  fields: ['<wpt', ...PLACE, element('name', 'name'), ...REST, '</wpt>\n'],
}

function element(name: FieldText['name'], tag: string): FieldText {
  return { name, before: `<${tag}>`, after: `</${tag}>`, none: '' }
}
