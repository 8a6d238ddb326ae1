import { kmlTrack } from './kml-track.ts'
import { type Columns, type FieldText, namesOf, type PositionForm } from './position-form.ts'
import { writeXmlText, XML_DECLARATION, xmlText } from './xml-text.ts'

/** KML 2.2: a placemark for each position. Tracks have a folder for each object, which ends with its track. */
export function kmlPositions(columns: Columns, layout: 'tracks' | 'points'): PositionForm {
  const isTrack = layout === 'tracks'
  const data = namesOf(columns).filter((name) => !IN_PLACEMARK.includes(name))
  return {
    head: `${XML_DECLARATION}<kml xmlns="http://www.opengis.net/kml/2.2"${isTrack ? GOOGLE : ''}><Document>\n`,
    tail: '</Document></kml>\n',
    openObject: (name) => (isTrack ? `<Folder><name>${xmlText(name)}</name>\n` : ''),
    closeObject: isTrack ? '</Folder>\n' : '',
    ...(isTrack && { trackOf: (name: string) => kmlTrack(name) }),
    between: '',
    fields: [
      '<Placemark>',
      element('name', '<name>', '</name>'),
      element('time_device', '<TimeStamp><when>', '</when></TimeStamp>'),
      '<ExtendedData>',
      ...data.map((name) => element(name, `<Data name="${name}"><value>`, '</value></Data>')),
      '</ExtendedData>',
      element('longitude', '<Point><coordinates>', ','),
      element('latitude', '', '</coordinates></Point>'),
      '</Placemark>\n',
    ],
    ...{ hasUnseen: false, text: xmlText, writeText: writeXmlText },
  }
}

const GOOGLE = ' xmlns:gx="http://www.google.com/kml/ext/2.2"'
const IN_PLACEMARK: readonly FieldText['name'][] = ['name', 'latitude', 'longitude']

function element(name: FieldText['name'], before: string, after: string): FieldText {
  return { name, before, after, none: '' }
}
