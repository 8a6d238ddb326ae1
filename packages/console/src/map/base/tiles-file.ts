import { addProtocol } from 'maplibre-gl'
import { PMTiles, Protocol } from 'pmtiles'
import { PREFIX } from '../../api/client.ts'

const URL_OF_FILE = `${location.origin}${PREFIX}/server/map.pmtiles`

/** The operator's file of tiles, for the map. */
export const TILES_FILE = `pmtiles://${URL_OF_FILE}`

const protocol = new Protocol()
addProtocol('pmtiles', protocol.tile)

/** Reads the file again: it may have been replaced, or unreadable when a former map was made. */
export function openTilesFile(): void {
  protocol.add(new PMTiles(URL_OF_FILE))
}
