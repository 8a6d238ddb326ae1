import { plainWord } from './dates.ts'

/**
 * The names of columns in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish, by field, in
 * addition to the documented synonyms. They count only where no column has one of those: `Vehicle` may be an ident or
 * a mere name.
 */
const HEADINGS: Readonly<Record<string, string>> = {
  ident:
    'vehicle, unit, asset, tracker, object; fahrzeug, kfz, gerät, objekt, fahrzeug id, geräte id; véhicule, appareil, balise, objet, engin; vehículo, unidad, dispositivo, equipo, móvil; veicolo, mezzo, dispositivo, oggetto; veículo, rastreador, objeto; voertuig, toestel, apparaat; pojazd, urządzenie, obiekt; device name, vehicle name, unit name, asset name',
  name: 'bezeichnung, fahrzeugname; nom, désignation; nombre; nome; naam; nazwa',
  plate_number:
    'registration number, license plate number, number plate; kennzeichen, amtliches kennzeichen; immatriculation, plaque; matrícula, placa; targa; matrícula, placa; kenteken; numer rejestracyjny, nr rejestracyjny, rejestracja',
  vin: 'chassis number; fahrgestellnummer, fin, fahrzeugidentifikationsnummer; numéro de châssis, numéro de série; número de chasis, bastidor; numero di telaio, telaio; número do chassi, chassi; chassisnummer; numer vin, nr vin',
  time_device:
    'gps datetime, msg time, date/time, date and time, position time, time stamp, local time, event time, recorded at; zeit, uhrzeit, zeitstempel, datum/zeit, datum uhrzeit, datum/uhrzeit, zeitpunkt, positionszeit; heure, horodatage, date heure, date et heure; hora, fecha y hora, fecha/hora, fecha hora; ora, orario, data e ora, data/ora, data ora; data e hora, data/hora, data hora, horário; tijd, tijdstip, datum en tijd, datum/tijd, datum tijd; czas, godzina, data i czas, data i godzina, data czas, data/czas; datetime utc, utc time, gps time utc',
  date: 'date, day, gps date; datum, tag; date, jour; fecha, día; data, giorno; data, dia; datum, dag; data, dzień',
  time_server:
    'received, reception time; empfangen, empfangszeit, serverzeit; heure de réception; hora de recepción; ora di ricezione; hora de recepção; ontvangen, ontvangsttijd; czas odbioru',
  latitude:
    'latitude n/s, latitude deg, gps latitude, position latitude; breite, breitengrad, geografische breite; latitud; latitudine; latitude; breedtegraad, breedte; szerokość, szerokość geograficzna, szer',
  longitude:
    'longitude e/w, longitude deg, gps longitude, position longitude; länge, laenge, längengrad, laengengrad, geografische länge; longitud; longitudine; longitude; lengtegraad, lengte; długość, długość geograficzna, dł',
  altitude:
    'height, gps altitude; höhe, hoehe, höhe über nn; hauteur; altitud, altura; altitudine, quota; altitude, altura; hoogte; wysokość',
  speed:
    'gps speed, vehicle speed, speed kmh, speed kph; geschwindigkeit, tempo; vitesse; velocidad; velocità; velocidade; snelheid; prędkość',
  angle:
    'azimuth, gps heading; richtung, kurs, fahrtrichtung, peilung; cap, orientation; rumbo, dirección, curso; direzione, rotta; direção, rumo; richting, koers; kierunek, kurs, azymut',
  odometer:
    'mileage km, total distance, odometer reading; kilometerstand, km stand; kilométrage, compteur; odómetro, kilometraje; contachilometri, odometro, chilometraggio; odômetro, quilometragem; kilometerstand; przebieg, licznik',
  engine_hours:
    'engine time; betriebsstunden, motorstunden; heures moteur; horas de motor, horas motor; ore motore; horas de motor; draaiuren, motoruren; motogodziny',
  ignition:
    'acc status; zündung; contact; encendido, ignición; accensione, quadro; ignição; contact, ontsteking; zapłon, stacyjka',
  hdop: 'horizontal dilution of precision',
  accuracy:
    'genauigkeit; précision; precisión; precisione, accuratezza; precisão; nauwkeurigheid; dokładność',
  address:
    'location, street address; adresse, anschrift, standort; adresse, lieu; dirección; indirizzo; endereço; adres, locatie; adres, lokalizacja',
}

/** `Device ID`, `deviceId` and `device_id` are one name. A dot separates a part from its whole, so it stays. */
export function plainName(name: string): string {
  const words = name.split('.').map((part) => plainWord(part).replace(/[^\p{L}\p{N}]/gu, ''))
  return words.join('.')
}

const BY_FIELD = new Map(
  Object.entries(HEADINGS).map(([field, names]) => [
    field,
    [...new Set(names.split(/[,;]/).map(plainName))],
  ]),
)

/** The names of a field in the eight languages, plain and in order. */
export function headingsOf(field: string): readonly string[] {
  return BY_FIELD.get(field) ?? []
}

/** Ways to write a unit, and the unit as options name it. */
export type Units = Readonly<Record<string, string>>

export const SPEED_WORDS: Units = {
  'km/h': 'kmh',
  kmh: 'kmh',
  kph: 'kmh',
  mph: 'mph',
  'm/s': 'mps',
  mps: 'mps',
  'meters/second': 'mps',
  kn: 'knots',
  kt: 'knots',
  kts: 'knots',
  knots: 'knots',
}

export const LENGTH_WORDS: Units = {
  km: 'km',
  mi: 'mi',
  miles: 'mi',
  m: 'm',
  metres: 'm',
  meters: 'm',
}

export const METRE_WORDS: Units = { m: 'm', metres: 'm', meters: 'm', meter: 'm', mètres: 'm' }

export const DEGREE_WORDS: Units = {
  '°': 'degrees',
  deg: 'degrees',
  degrees: 'degrees',
  wgs84: 'degrees',
}

export const HOUR_WORDS: Units = { h: 'h', hours: 'h', hrs: 'h', std: 'h' }

export const PERCENT_WORDS: Units = { '%': '%' }

/** Times of other zones are never taken for times of the device. */
export const ZONE_WORDS: Units = { utc: 'UTC', gmt: 'UTC' }

const IN_BRACKETS = /^(.*\S)\s*[([]([^()[\]]*)[)\]]\s*$/

const AFTER_COMMA = /^(.*\S)\s*,\s*(\S+)\s*$/

/** Characters. A longer heading names no field, and would take the search for a unit long. */
export const LONGEST_HEADING = 200

/** The name and the unit in a heading such as `Speed (km/h)` or `Speed, km/h`. Null: it names none. */
export function splitUnit(heading: string): { name: string; unit: string | null } {
  if (heading.length > LONGEST_HEADING) return { name: heading, unit: null }
  const match = IN_BRACKETS.exec(heading) ?? AFTER_COMMA.exec(heading)
  if (match === null) return { name: heading, unit: null }
  return { name: match[1]!, unit: match[2]!.trim().toLowerCase() }
}

const AFTER_NUMBER = /^(.*\d)\s*([^\d\s.,'’+-][^\d]*)$/

/** A cell such as `15.8 km/h` without a unit of these, and the unit. Null: it has none. */
export function splitCell(cell: string, units: Units): { number: string; unit: string } | null {
  const match = AFTER_NUMBER.exec(cell.trim())
  const unit = match === null ? undefined : unitNamed(match[2]!.trim().toLowerCase(), units)
  return match === null || unit === undefined ? null : { number: match[1]!, unit }
}

/** The unit that a word names. A word such as `constructor`, which every object has, names none. */
export function unitNamed(word: string, units: Units): string | undefined {
  return Object.hasOwn(units, word) ? units[word] : undefined
}

/** The unit that all filled cells of a column have. Null: they have none, or several. */
export function unitOfCells(cells: readonly string[], units: Units): string | null {
  const filled = cells.filter((cell) => cell.trim() !== '')
  const found = new Set(filled.map((cell) => splitCell(cell, units)?.unit ?? null))
  const [unit = null] = found
  return found.size === 1 ? unit : null
}

/** Headings that only one program writes together, and the unit of its speeds. */
const KNOWN_SPEEDS: readonly [headings: readonly string[], unit: string][] = [
  /** GPSLogger for Android. */
  [['elevation', 'bearing', 'speed', 'provider', 'geoidheight'], 'mps'],
  /** The table of positions of a Traccar server. */
  [['protocol', 'devicetime', 'fixtime', 'speed', 'course'], 'knots'],
]

/** The unit of the speeds of a program that names none in its headings. */
export function knownSpeedUnit(headings: readonly string[]): string | undefined {
  const names = new Set(headings.map((each) => each.trim().toLowerCase()))
  return KNOWN_SPEEDS.find(([own]) => own.every((name) => names.has(name)))?.[1]
}
