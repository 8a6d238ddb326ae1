import { type Random, seeded } from '../../packages/server/testing/random.ts'
import { CITY, DEPOT, DISTRICTS, FREIGHT_TERMINAL, PORT_GATE, WORKSHOP } from './places.ts'
import { type Spot, spotAt } from './street-network.ts'

/** When and how a vehicle works. */
export type Duty = {
  /** 0 for Monday to 6 for Sunday. */
  workdays: number[]
  /** The hour in Madrid at which one duty day ends and the next begins. The vehicle rests then. */
  turnover: 0 | 12
  /** Hours after the turnover at which it sets out. */
  setsOut: number
  /** Hours of work before and after the break. The second may be 0. */
  work: [number, number]
  /** Minutes at a stop, minimum and maximum. */
  stop: [number, number]
  /** Percentage of stops with a running engine. */
  idling: number
  /** Where its customers are. */
  stops: readonly Spot[]
}

export type Vehicle = {
  ident: string
  name: string
  vin: string
  plate: string
  /** Where it spends the night. */
  home: Spot
  duty: Duty
  /** Whether its tracker has ever sent anything. */
  reports: boolean
  /** Seconds between fixes while driving, and while parked. */
  every: { driving: number; parked: number }
  /** Whether its counters are read from the vehicle or calculated. */
  counters: 'sensor' | 'system'
  deviceTimezone: string
  /** Counters on the day it entered service: km and hours. */
  odometer: number
  engineHours: number
}

/** Value of each character in the check digit of a VIN (49 CFR 565.15); I, O and Q do not occur. */
const VIN_VALUES: Record<string, number> = Object.fromEntries([
  ...[...'0123456789'].map((digit) => [digit, Number(digit)]),
  ...[...'ABCDEFGH'].map((letter, i) => [letter, i + 1]),
  ...[...'JKLMN'].map((letter, i) => [letter, i + 1]),
  ['P', 7],
  ['R', 9],
  ...[...'STUVWXYZ'].map((letter, i) => [letter, i + 2]),
])

const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]

/** The check digit of a VIN (17 characters; the ninth is ignored): 0 to 9 or X. */
export function vinCheckDigit(vin: string): string {
  const sum = VIN_WEIGHTS.reduce((total, weight, i) => total + weight * VIN_VALUES[vin[i]!]!, 0)
  return 'X0123456789'[((sum % 11) + 1) % 11]!
}

/** The model year's letter in the tenth place of a VIN (ISO 3779). */
const YEAR_LETTERS = 'ABCDEFGHJKLMNPRSTVWXY'

/** A VIN of a model: its first eight characters (maker and description), the year and the plant. */
function makeVin(model: string, year: number, plant: string, random: Random): string {
  const serial = String(random.whole(10_000, 199_999)).padStart(6, '0')
  const vin = `${model}0${YEAR_LETTERS[year - 2010]}${plant}${serial}`
  return vin.slice(0, 8) + vinCheckDigit(vin) + vin.slice(9)
}

/** The last digit of an IMEI: Luhn over the first fourteen. */
export function imeiCheckDigit(fourteen: string): string {
  const sum = [...fourteen]
    .map((digit, i) => Number(digit) * (1 + (i % 2)))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return String((10 - (sum % 10)) % 10)
}

/** An IMEI of a tracker type (8 digits). */
function makeImei(typeAllocation: string, random: Random): string {
  const fourteen = typeAllocation + String(random.whole(0, 999_999)).padStart(6, '0')
  return fourteen + imeiCheckDigit(fourteen)
}

/** The letters of Spanish plates: no vowels, no Q, no Ñ. */
const PLATE_LETTERS = 'BCDFGHJKLMNPRSTVWXYZ'

/** The first two letters issued in a year. */
const PLATE_SERIES: Record<number, string> = {
  2019: 'KX',
  2020: 'LF',
  2021: 'LN',
  2022: 'LX',
  2023: 'MF',
  2024: 'MP',
}

/** `1234 BCD`. */
function makePlate(year: number, random: Random): string {
  const digits = String(random.whole(100, 9_999)).padStart(4, '0')
  return `${digits} ${PLATE_SERIES[year]}${random.pick([...PLATE_LETTERS])}`
}

/** The one with a refrigerated body. */
export const REFRIGERATED = 'Truck 1 Ebre'

const WEEKDAYS = [0, 1, 2, 3, 4]

const NO_SUNDAY = [0, 1, 2, 3, 4, 5]

const DAILY = [0, 1, 2, 3, 4, 5, 6]

function delivery(district: keyof typeof DISTRICTS, workdays: number[], setsOut: number): Duty {
  return {
    workdays,
    turnover: 0,
    setsOut,
    work: [5, 3.4],
    stop: [3, 13],
    idling: 22,
    stops: DISTRICTS[district].customers,
  }
}

function service(district: keyof typeof DISTRICTS): Duty {
  return {
    workdays: WEEKDAYS,
    turnover: 0,
    setsOut: 8.1,
    work: [4.6, 3.6],
    stop: [20, 75],
    idling: 3,
    stops: DISTRICTS[district].customers,
  }
}

const HAULAGE: Duty = {
  workdays: WEEKDAYS,
  turnover: 0,
  setsOut: 5.8,
  work: [4.4, 4.2],
  stop: [14, 38],
  idling: 35,
  stops: [FREIGHT_TERMINAL.spot, PORT_GATE.spot, DEPOT.spot],
}

const EVENING: Duty = {
  workdays: DAILY,
  turnover: 0,
  setsOut: 15.4,
  work: [3.5, 3],
  stop: [2, 7],
  idling: 30,
  stops: CITY,
}

/** In the workshop: the engine is started now and then. */
const BENCH: Duty = {
  workdays: WEEKDAYS,
  turnover: 0,
  setsOut: 10.5,
  work: [0, 0],
  stop: [0, 0],
  idling: 0,
  stops: [],
}

/** From noon to noon, so that a night is one duty. */
const NIGHT: Duty = {
  workdays: DAILY,
  turnover: 12,
  setsOut: 9.6,
  work: [4.2, 3.8],
  stop: [4, 14],
  idling: 25,
  stops: CITY,
}

type Model = { model: string; plant: string; year: number }

const transit = (year: number): Model => ({ model: 'WF0YXXTT', plant: 'K', year })

const sprinter = (year: number): Model => ({ model: 'W1V90763', plant: 'N', year })

const kangoo = (year: number): Model => ({ model: 'VF1RJK00', plant: '6', year })

const partner = (year: number): Model => ({ model: 'VR3EFYHZ', plant: 'J', year })

const stralis = (year: number): Model => ({ model: 'WJMM62AN', plant: 'C', year })

const depot = DEPOT.spot

const home = (street: string, number: number) => spotAt(street, number)

/** Vans are named after winds, service cars after mountains, trucks after rivers. */
export const VEHICLES: readonly Vehicle[] = [
  vehicle('Van 1 Tramuntana', transit(2021), depot, delivery('dreta', NO_SUNDAY, 7.4)),
  vehicle('Van 2 Gregal', transit(2021), depot, delivery('dreta', WEEKDAYS, 7.7)),
  vehicle('Van 3 Xaloc', sprinter(2022), depot, delivery('esquerra', NO_SUNDAY, 7.2)),
  vehicle('Van 4 Migjorn', sprinter(2022), depot, delivery('esquerra', WEEKDAYS, 7.6)),
  vehicle('Van 5 Garbí', transit(2023), depot, delivery('esquerra', NO_SUNDAY, 8)),
  vehicle('Van 6 Ponent', transit(2023), depot, delivery('santAntoni', NO_SUNDAY, 6.9)),
  vehicle('Van 7 Mestral', partner(2024), depot, delivery('santAntoni', WEEKDAYS, 7.5)),
  vehicle('Van 8 Marinada', partner(2024), depot, delivery('sagradaFamilia', NO_SUNDAY, 7.3)),
  vehicle('Van 9 Terral', sprinter(2020), depot, delivery('sagradaFamilia', DAILY, 7.8)),
  vehicle('Van 10 Llebeig', sprinter(2020), depot, delivery('poblenou', WEEKDAYS, 7)),
  vehicle('Van 11 Oratge', transit(2022), depot, EVENING),
  vehicle('Van 12 Calima', partner(2023), depot, EVENING),
  vehicle('Van 13 Bufarut', transit(2019), WORKSHOP.spot, BENCH, 3_600),
  { ...vehicle('Van 14 Brisa', partner(2024), depot, BENCH), reports: false },
  vehicle('Service 1 Montseny', kangoo(2022), home("Carrer d'Aragó", 210), service('esquerra')),
  vehicle(
    'Service 2 Cadí',
    kangoo(2022),
    home('Carrer de Sicília', 150),
    service('sagradaFamilia'),
  ),
  vehicle('Service 3 Puigmal', kangoo(2023), home('Carrer de Manso', 30), service('santAntoni')),
  vehicle('Service 4 Pedraforca', kangoo(2023), home('Carrer de Girona', 110), service('dreta')),
  vehicle('Service 5 Canigó', kangoo(2020), home('Carrer de Llull', 130), service('poblenou')),
  vehicle('Service 6 Matagalls', kangoo(2024), home('Carrer de Còrsega', 190), service('esquerra')),
  vehicle(REFRIGERATED, stralis(2020), depot, HAULAGE),
  vehicle('Truck 2 Ter', stralis(2021), depot, HAULAGE),
  vehicle('Truck 3 Segre', stralis(2023), FREIGHT_TERMINAL.spot, { ...HAULAGE, setsOut: 6.5 }),
  vehicle('Night 1 Lluna', partner(2022), depot, NIGHT),
  vehicle('Night 2 Estel', kangoo(2021), depot, { ...NIGHT, setsOut: 10.2 }),
]

function vehicle(
  name: string,
  { model, plant, year }: Model,
  home: Spot,
  duty: Duty,
  parkedEvery = 300,
): Vehicle {
  const random = seeded('vehicle', name)
  return {
    ident: makeImei(random.pick(['35209308', '86430104', '35631507']), random),
    name,
    vin: makeVin(model, year, plant, random),
    plate: makePlate(year, random),
    home,
    duty,
    reports: true,
    every: { driving: random.pick([10, 12, 15]), parked: parkedEvery },
    counters: random.chance(0.7) ? 'sensor' : 'system',
    deviceTimezone: random.chance(0.4) ? 'Europe/Madrid' : 'UTC',
    odometer: random.whole(2_000, 9_000) + (2024 - year) * random.whole(9_000, 14_000),
    engineHours: random.whole(150, 500) + (2024 - year) * random.whole(700, 1_100),
  }
}
