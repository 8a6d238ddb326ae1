import { type Point, points } from '../demo/plane.ts'

/** A quarter around the grid. `block`: the size of its blocks of houses along and up, meters. */
export type Quarter = { name: string; corners: Point[]; block: [number, number] }

export const QUARTERS: readonly Quarter[] = [
  quarter(
    'Ciutat Vella',
    [62, 44],
    [
      -1120, -1180, -1130, -470, -600, -110, 20, -270, 620, -450, 620, -1400, 160, -1520, -590,
      -1640,
    ],
  ),
  quarter(
    'La Barceloneta',
    [38, 24],
    [260, -1990, 880, -1930, 1240, -2060, 500, -2330, 300, -2540],
  ),
  quarter(
    'Poble-sec',
    [70, 48],
    [-640, -1700, -2260, -90, -2300, -520, -1270, -1570, -1000, -1760],
  ),
  quarter('Gràcia', [58, 46], [-420, 1360, 30, 1150, 830, 1150, 880, 1900, 520, 2350, -260, 2300]),
  quarter('Sants', [86, 60], [-3580, 40, -2340, 40, -2340, 560, -2150, 1080, -3300, 1220]),
  quarter(
    'Les Corts',
    [110, 84],
    [-2100, 1120, -1900, 1390, -1500, 1520, -1400, 1740, -2300, 2200],
  ),
  quarter(
    'El Camp de l’Arpa',
    [80, 60],
    [870, 1380, 2330, 1380, 3060, 860, 3380, 1180, 3050, 2000, 1000, 2050],
  ),
  quarter('Sant Martí', [94, 70], [2560, 40, 4200, 40, 4400, 500, 3900, 1650, 2620, 320]),
  quarter(
    'Diagonal Mar',
    [110, 90],
    [3560, -1040, 4200, -1000, 4560, -1300, 4560, -1780, 3560, -1570],
  ),
  quarter(
    'Zona Franca',
    [230, 130],
    [-4750, -2250, -3560, -700, -3500, -1950, -2700, -2520, -4100, -2950, -5000, -3200],
  ),
]

function quarter(name: string, block: [number, number], corners: number[]): Quarter {
  return { name, corners: points(corners), block }
}
