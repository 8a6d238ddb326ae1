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
  valid: 'gps fix valid, location valid; gültig; valide; válido; valido; geldig; ważny',
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

/** Names of speeds, distances and times that are long enough to be a part of another one. */
const MEASURED = [
  ...['speed', 'odometer', 'time_device'].flatMap((field) => BY_FIELD.get(field)!),
  ...['speed', 'velocity', 'distance', 'mileage', 'time', 'date', 'sog', 'kmh', 'mph'],
].filter((name) => name.length > 4 || !BY_FIELD.get('time_device')!.includes(name))

/** Whether a column that fills no field looks like a speed, a distance or a time. */
export function looksMeasured(column: string): boolean {
  const name = plainName(column)
  return MEASURED.some((each) => name.includes(each))
}

/** The names of a field in the eight languages, plain and in order. */
export function headingsOf(field: string): readonly string[] {
  return BY_FIELD.get(field) ?? []
}
