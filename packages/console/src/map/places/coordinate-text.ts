import { SITE_RULES } from '../../../../server/src/base/domain/places/place-settings.ts'
import { t } from '../../language/text.ts'
import type { LonLat } from './shapes.ts'

export type Typed = { positions: LonLat[] } | { fault: string }

/** Coordinates as typed: latitude, longitude, one pair for each line, as other maps show them. */
export function coordinateText(positions: LonLat[]): string {
  return positions.map(([longitude, latitude]) => `${latitude}, ${longitude}`).join('\n')
}

export function parseCoordinates(text: string): Typed {
  const positions: LonLat[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const numbers = line
      .trim()
      .split(/\s*[,;\s]\s*/)
      .map(Number)
    const [latitude, longitude] = numbers
    if (numbers.length !== 2 || numbers.some(Number.isNaN)) {
      return {
        fault: t('Line {{at}}: enter a latitude and a longitude, such as 52.52, 13.40.', {
          at: at + 1,
        }),
      }
    }
    if (!SITE_RULES.latitude.holds(latitude) || !SITE_RULES.longitude.holds(longitude)) {
      return {
        fault: t(
          'Line {{at}}: latitude must be between −90 and 90, longitude between −180 and 180.',
          {
            at: at + 1,
          },
        ),
      }
    }
    positions.push([longitude!, latitude!])
  }
  return { positions }
}
