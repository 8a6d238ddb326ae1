import { addProtocol } from 'maplibre-gl'
import { PMTiles, Protocol } from 'pmtiles'
import { PREFIX } from '../../api/prefix.ts'

const URL_OF_FILE = `${location.origin}${PREFIX}/server/map.pmtiles`

const protocol = new Protocol()
addProtocol('pmtiles', protocol.tile)

/** The source of the operator's file of tiles, for the map. `url`: another address of it than that for the console. */
export function tilesFile(url: string = URL_OF_FILE): string {
  return `pmtiles://${url}`
}

/** Reads the file again: it may have been replaced, or unreadable when a former map was made. */
export function openTilesFile(url: string = URL_OF_FILE): void {
  protocol.add(new PMTiles(url))
}
