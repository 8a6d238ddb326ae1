import type { MotionOrUnknown } from './motion.ts'
import type { Theme } from './theme.ts'

type Rgb = readonly [number, number, number]

/** Colors of the map. Motions differ in lightness and shape too, not only in hue. */
export type Palette = {
  water: string
  land: string
  border: string
  graticule: string
  label: string
  labelHalo: string
  streets: {
    green: string
    greenLabel: string
    site: string
    sand: string
    house: string
    rail: string
    casing: string
    minor: string
    major: string
    highway: string
    streetLabel: string
    waterLabel: string
  }
  motion: Record<MotionOrUnknown, string>
  /** The halo around shapes on the map, for contrast on any ground. */
  halo: string
  selected: string
  clusterFill: string
  clusterText: string
  place: string
  before: string
  after: string
  /** Colors from slow to fast, of viridis: see docs/design/console.md. The fastest differs most from the ground. */
  speeds: string[]
}

export const PALETTES: Record<Theme, Palette> = {
  light: {
    water: '#d5e3ee',
    land: '#f6f4ee',
    border: '#b3aca0',
    graticule: '#bccbd8',
    label: '#585348',
    labelHalo: '#f6f4ee',
    streets: {
      green: '#dde8d3',
      greenLabel: '#48633c',
      site: '#eeebe4',
      sand: '#f0e8cf',
      house: '#e8e3d9',
      rail: '#c9c3b8',
      casing: '#d8d1c4',
      minor: '#ffffff',
      major: '#ffffff',
      highway: '#f4e9d3',
      streetLabel: '#5c574d',
      waterLabel: '#4a6a86',
    },
    motion: {
      moving: '#08734a',
      idle: '#b45309',
      stopped: '#3f4a6b',
      no_signal: '#6b6b6b',
      unknown: '#6b6b6b',
    },
    halo: '#ffffff',
    selected: '#1d4ed8',
    clusterFill: '#ffffff',
    clusterText: '#1c2330',
    place: '#6d3fc0',
    before: '#8a4b08',
    after: '#1d4ed8',
    speeds: ['#229d88', '#26828d', '#3a548b', '#440154'],
  },
  dark: {
    water: '#10161f',
    land: '#1f2733',
    border: '#4a5567',
    graticule: '#28323f',
    label: '#a9b4c4',
    labelHalo: '#1f2733',
    streets: {
      green: '#1f3130',
      greenLabel: '#8fb59a',
      site: '#242d3a',
      sand: '#2e302f',
      house: '#29323f',
      rail: '#3b4554',
      casing: '#161c25',
      minor: '#343f4e',
      major: '#3f4b5c',
      highway: '#4c586b',
      streetLabel: '#a3aebe',
      waterLabel: '#7d97b3',
    },
    motion: {
      moving: '#3ddc97',
      idle: '#fbbf24',
      stopped: '#a9b8e8',
      no_signal: '#a3a3a3',
      unknown: '#a3a3a3',
    },
    halo: '#0b0f15',
    selected: '#7db2ff',
    clusterFill: '#0f1620',
    clusterText: '#f2f5f9',
    place: '#c3a6ff',
    before: '#f0b35a',
    after: '#7db2ff',
    speeds: ['#287d8e', '#229f87', '#4fc36a', '#fde725'],
  },
}

/** A color for shaders: components from 0 to 1. */
export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}
