import type { SiteSettings } from '../../packages/server/src/base/domain/places/place.ts'
import { seeded } from '../../packages/server/testing/random.ts'
import { type Point, toLonLat } from './plane.ts'
import { type Spot, STRETCHES, spotAt, spotOn } from './street-network.ts'

/** A named place where vehicles stop. The fleet has it as a site. */
type DemoPlace = {
  name: string
  description: string
  icon: string
  radius: number
  spot: Spot
}

export const DEPOT = place('Depot Poblenou', 'Where the vans sleep', 'warehouse', 60, [
  'Carrer de Pallars',
  193,
])
export const WORKSHOP = place('Taller Marina', 'Workshop: repairs and inspections', 'wrench', 40, [
  'Carrer dels Almogàvers',
  45,
])
export const FREIGHT_TERMINAL = place(
  'Terminal Zona Franca',
  'Freight terminal, docks 1 to 6',
  'forklift',
  120,
  ['Passeig de la Zona Franca', 111],
)
export const PORT_GATE = place('Port, porta 29', 'Gate of the container quay', 'ship', 110, [
  'Carretera de la Circumval·lació',
  19,
])
const FUEL = [
  place('Fuel Gran Via', 'Fuel cards accepted, open all night', 'fuel', 45, [
    'Gran Via de les Corts Catalanes',
    305,
  ]),
  place('Fuel Meridiana', 'Fuel cards accepted, fast charger', 'fuel', 45, [
    'Avinguda Meridiana',
    88,
  ]),
]
const CUSTOMERS = [
  place('Hospital Clínic', 'Dispatch at the side entrance', 'hospital', 80, [
    'Carrer de Villarroel',
    158,
  ]),
  place('Hospital de Sant Pau', 'Pharmacy, ring twice', 'hospital', 90, [
    'Carrer de Cartagena',
    171,
  ]),
  place('Mercat de Sant Antoni', 'Loading from 6 to 9', 'market', 80, ['Carrer de Tamarit', 74]),
  place('Mercat del Ninot', 'Loading from 6 to 9', 'market', 60, ['Carrer de Mallorca', 135]),
  place('Mercat de la Concepció', 'Flowers at the side of València', 'market', 60, [
    'Carrer de València',
    332,
  ]),
  place('Llibreria del Passeig', 'Books, by the service door', 'shop', 40, [
    'Passeig de Gràcia',
    62,
  ]),
  place('Sagrada Família', 'Parcels for the workshop of the temple', 'landmark', 90, [
    'Carrer de Mallorca',
    401,
  ]),
  place('Oficines Glòries', 'Reception, floor 0', 'office', 70, ["Carrer d'Àvila", 101]),
]

export const PLACES: readonly DemoPlace[] = [
  DEPOT,
  WORKSHOP,
  FREIGHT_TERMINAL,
  PORT_GATE,
  ...FUEL,
  ...CUSTOMERS,
]

export const SITES: SiteSettings[] = PLACES.map(({ name, description, icon, radius, spot }) => {
  const [longitude, latitude] = toLonLat(spot.point)
  return { name, description, icon, latitude, longitude, radius }
})

/** A part of the city with its own vehicles: its corners and its customers. */
type District = { name: string; low: Point; high: Point; customers: Spot[] }

export const DISTRICTS = {
  dreta: district('Dreta de l’Eixample', [-40, -330], [1220, 1080]),
  esquerra: district('Esquerra de l’Eixample', [-1560, 90], [-150, 1360]),
  santAntoni: district('Sant Antoni', [-1560, -760], [-600, 40]),
  sagradaFamilia: district('Sagrada Família', [1250, 90], [2350, 1360]),
  poblenou: district('Poblenou 22@', [1500, -1360], [3540, -420]),
} as const

/** Customers of the whole city: the named places and some of each district. */
export const CITY: Spot[] = [
  ...[...CUSTOMERS, ...FUEL].map(({ spot }) => spot),
  ...Object.values(DISTRICTS).flatMap(({ customers }) => customers.slice(-4)),
]

function place(
  name: string,
  description: string,
  icon: string,
  radius: number,
  [street, number]: [string, number],
): DemoPlace {
  return { name, description, icon, radius, spot: spotAt(street, number) }
}

function district(name: string, low: [number, number], high: [number, number]): District {
  const corners = {
    low: { along: low[0], up: low[1] },
    high: { along: high[0], up: high[1] },
  }
  const isInside = ({ along, up }: Point) =>
    along >= low[0] && along <= high[0] && up >= low[1] && up <= high[1]
  const random = seeded('district', name)
  const streets = STRETCHES.filter(
    ({ from, to, length, street }) =>
      street.kind !== 'ronda' && length > 60 && isInside(from) && isInside(to),
  )
  const scattered = Array.from({ length: 22 }, () => {
    const stretch = random.pick(streets)
    return spotOn(stretch, random.between(20, stretch.length - 20))
  })
  const known = [...CUSTOMERS, ...FUEL].map(({ spot }) => spot)
  return {
    name,
    ...corners,
    customers: [...known.filter(({ point }) => isInside(point)), ...scattered],
  }
}
