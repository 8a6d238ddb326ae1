import { type Point, points } from './plane.ts'

/** A street's traffic: how fast vehicles drive, how long the lights stay green. */
export type StreetKind = 'street' | 'avenue' | 'ronda'

export type Street = {
  name: string
  kind: StreetKind
  /** Where its house numbers begin. */
  line: Point[]
  /** The permitted directions along the line. */
  traffic: 'forward' | 'backward' | 'both'
  /** The house number at the start of the line. Null: nobody lives there. */
  firstNumber: number | null
  /** Meters to the next house number, counting both sides of the street. */
  metresPerNumber: number
}

type Traffic = Street['traffic']

/**
 * The streets along the coast, from Gran Via to the mountains and down to the sea: [name, meters up
 * from Gran Via, where it begins and ends along the coast, traffic]. In the Eixample every second
 * street runs the other way.
 */
const ALONG: [string, number, number, number, Traffic][] = [
  ['Carrer de la Diputació', 122, -2300, 2500, 'backward'],
  ['Carrer del Consell de Cent', 258, -2300, 2600, 'forward'],
  ["Carrer d'Aragó", 395, -2300, 2700, 'backward'],
  ['Carrer de València', 527, -2300, 2900, 'forward'],
  ['Carrer de Mallorca', 665, -2250, 3000, 'backward'],
  ['Carrer de Provença', 805, -2250, 3100, 'forward'],
  ['Carrer del Rosselló', 930, -2150, 2340, 'backward'],
  ['Carrer de Còrsega', 1070, -2100, 2340, 'forward'],
  ['Carrer de París', 1205, -1850, -180, 'backward'],
  ['Carrer de Londres', 1338, -1850, -440, 'forward'],
  ['Carrer de Buenos Aires', 1470, -1450, -710, 'backward'],
  ['Carrer de la Indústria', 1195, 850, 2340, 'forward'],
  ['Carrer de Sant Antoni Maria Claret', 1341, 850, 2340, 'backward'],
  ['Carrer de Sepúlveda', -150, -2200, -740, 'forward'],
  ['Carrer de Floridablanca', -298, -2040, -990, 'backward'],
  ['Carrer de Tamarit', -440, -1890, -1150, 'forward'],
  ['Carrer de Manso', -579, -1740, -1150, 'backward'],
  ['Carrer del Parlament', -710, -1600, -1150, 'forward'],
  ['Carrer de Casp', -135, -30, 1960, 'backward'],
  ["Carrer d'Ausiàs Marc", -270, 140, 1870, 'forward'],
  ["Carrer d'Alí Bei", -400, 440, 1780, 'backward'],
]

/** The same in Poblenou, where houses are narrower. */
const ALONG_POBLENOU: typeof ALONG = [
  ['Carrer de Tànger', -430, 2140, 2910, 'backward'],
  ['Carrer de Sancho de Ávila', -562, 1640, 2910, 'forward'],
  ['Carrer dels Almogàvers', -700, 1510, 3700, 'backward'],
  ['Carrer de Pallars', -831, 1510, 3860, 'forward'],
  ['Carrer de Pujades', -940, 1480, 3860, 'backward'],
  ['Carrer de Llull', -1060, 1480, 3860, 'forward'],
  ['Carrer de Ramon Turró', -1215, 1510, 3700, 'backward'],
  ['Carrer del Doctor Trueta', -1344, 1510, 3530, 'forward'],
]

/** The streets from the sea to the mountains: [name, meters along the coast, begin, end, traffic]. */
const UP: [string, number, number, number, Traffic][] = [
  ['Carrer de Llançà', -2090, -230, 540, 'backward'],
  ['Carrer de Vilamarí', -1955, -360, 1080, 'forward'],
  ["Carrer d'Entença", -1825, -480, 1350, 'backward'],
  ['Carrer de Rocafort', -1690, -600, 1080, 'forward'],
  ['Carrer de Calàbria', -1537, -740, 1350, 'backward'],
  ['Carrer de Viladomat', -1400, -860, 1480, 'forward'],
  ['Carrer del Comte Borrell', -1280, -970, 1480, 'backward'],
  ["Carrer del Comte d'Urgell", -1162, -440, 1690, 'forward'],
  ['Carrer de Villarroel', -1028, -340, 1630, 'backward'],
  ['Carrer de Casanova', -895, -260, 1560, 'forward'],
  ['Carrer de Muntaner', -755, -170, 1490, 'backward'],
  ["Carrer d'Aribau", -620, -70, 1430, 'forward'],
  ["Carrer d'Enric Granados", -488, 110, 1360, 'backward'],
  ['Carrer de Balmes', -345, -150, 1290, 'backward'],
  ['Rambla de Catalunya', -190, -10, 1220, 'forward'],
  ['Carrer de Pau Claris', 180, -290, 1040, 'backward'],
  ['Carrer de Roger de Llúria', 315, -340, 1075, 'forward'],
  ['Carrer del Bruc', 450, -400, 1075, 'backward'],
  ['Carrer de Girona', 585, -460, 1075, 'forward'],
  ['Carrer de Bailèn', 720, -510, 1075, 'backward'],
  ['Carrer de Roger de Flor', 1000, -410, 1350, 'forward'],
  ['Carrer de Nàpols', 1140, -410, 1350, 'backward'],
  ['Carrer de Sicília', 1270, -410, 1350, 'forward'],
  ['Carrer de Sardenya', 1403, -410, 1350, 'backward'],
  ['Carrer de Lepant', 1668, -410, 1350, 'backward'],
  ['Carrer de Padilla', 1800, -280, 1350, 'forward'],
  ['Carrer dels Castillejos', 1935, -140, 1350, 'backward'],
  ['Carrer de Cartagena', 2069, -10, 1350, 'forward'],
  ['Carrer del Dos de Maig', 2202, -10, 1350, 'backward'],
  ['Carrer de la Independència', 2330, -10, 1350, 'forward'],
  ['Carrer de Pamplona', 1800, -1350, -280, 'forward'],
  ["Carrer d'Àlaba", 1935, -1350, -550, 'backward'],
  ["Carrer d'Àvila", 2150, -1350, -420, 'forward'],
  ['Carrer de Badajoz', 2291, -1350, -20, 'backward'],
  ['Carrer de la Ciutat de Granada', 2415, -1350, -60, 'forward'],
  ['Carrer de Roc Boronat', 2540, -1350, -420, 'backward'],
  ['Carrer de la Llacuna', 2669, -1350, -200, 'forward'],
  ['Rambla del Poblenou', 2900, -1350, -310, 'backward'],
  ['Carrer de Bilbao', 3150, -1350, -420, 'forward'],
  ["Carrer d'Espronceda", 3407, -1350, -560, 'backward'],
  ['Carrer de la Selva de Mar', 3850, -1070, -770, 'forward'],
]

/** [name, kind, line as along and up in turn, first number, meters per number]: both ways. */
const ARTERIES: [string, StreetKind, number[], number | null, number][] = [
  ['Gran Via de les Corts Catalanes', 'avenue', [-3690, 0, 4400, 0], 218, 9.3],
  ['Avinguda Diagonal', 'avenue', [4460, -1062, -1330, 1764], 30, 10.3],
  ['Passeig de Gràcia', 'avenue', [0, -230, 0, 1120], 1, 9.5],
  ['Passeig de Sant Joan', 'avenue', [860, -530, 860, 1350], 1, 8.5],
  ['Carrer de la Marina', 'avenue', [1520, -1880, 1520, 1350], 1, 10.5],
  ['Avinguda Meridiana', 'avenue', [1630, -620, 4000, 1830], 10, 9],
  ['Avinguda del Paral·lel', 'avenue', [-600, -1670, -2350, 0], 1, 9],
  ['Carrer de Tarragona', 'avenue', [-2280, -20, -2280, 540], 80, 8],
  ['Ronda de Sant Pau', 'avenue', [-1160, -1150, -1160, -430], 1, 8],
  ['Ronda de Sant Antoni', 'avenue', [-1160, -430, -620, -60], 1, 8],
  ['Ronda de la Universitat', 'avenue', [-620, -60, 0, -230], 1, 15],
  ['Ronda de Sant Pere', 'avenue', [0, -230, 220, -310, 860, -520], 1, 12],
  ['Via Laietana', 'avenue', [150, -1540, 220, -310], 1, 18],
  ['Passeig de Colom', 'avenue', [150, -1540, -600, -1670], 1, 22],
  ["Avinguda d'Icària", 'avenue', [1520, -1549, 2910, -1549], 101, 9],
  ['Carrer de Bac de Roda', 'avenue', [3522, -1670, 3522, 10], 1, 9],
  ['Passeig de la Zona Franca', 'avenue', [-4794, -1951, -3690, 0], 20, 9.5],
  ['Carrer 60', 'avenue', [-4794, -1951, -5300, -1650], 1, 12],
  ['Carretera de la Circumval·lació', 'avenue', [-2427, -2451, -2300, -2900], 1, 12],
  ['Plaça de les Drassanes', 'avenue', [-600, -1670, -584, -1770], null, 1],
  ['Pla de Palau', 'avenue', [150, -1540, 222, -1784], 1, 12],
  [
    'Ronda Litoral',
    'ronda',
    [
      4098, -1640, 3522, -1655, 2700, -1760, 1906, -1890, 1520, -1860, 222, -1784, -584, -1770,
      -2427, -2451, -4138, -2403, -4794, -1951,
    ],
    null,
    1,
  ],
]

/** The Eixample, Sant Antoni and Poblenou, and the ways to the port and the Zona Franca. */
export const STREETS: readonly Street[] = [
  ...ALONG.map(([name, up, from, to, traffic]) =>
    gridStreet(name, { along: from, up }, { along: to, up }, traffic, 9.3),
  ),
  ...ALONG_POBLENOU.map(([name, up, from, to, traffic]) =>
    gridStreet(name, { along: from, up }, { along: to, up }, traffic, 6.6),
  ),
  ...UP.map(([name, along, from, to, traffic]) =>
    gridStreet(name, { along, up: from }, { along, up: to }, traffic, 7.6),
  ),
  ...ARTERIES.map(
    ([name, kind, flat, firstNumber, metresPerNumber]): Street => ({
      name,
      kind,
      line: points(flat),
      traffic: 'both',
      firstNumber,
      metresPerNumber,
    }),
  ),
]

function gridStreet(
  name: string,
  from: Point,
  to: Point,
  traffic: Traffic,
  metresPerNumber: number,
): Street {
  return { name, kind: 'street', line: [from, to], traffic, firstNumber: 1, metresPerNumber }
}
