import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PALETTES } from '../base/palette.ts'

type Rgb = readonly number[]

/**
 * Linear RGB as people without cones for red or green see it: Machado, Oliveira and Fernandes, "A Physiologically-based
 * Model for Simulation of Color Vision Deficiency", 2009, severity 1.
 */
const EYES: Record<string, readonly Rgb[]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
}

function linear(hex: string): number[] {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function seen(color: Rgb, eyes: readonly Rgb[]): number[] {
  return eyes.map((row) => row.reduce((sum, part, at) => sum + part * color[at]!, 0))
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

for (const [theme, { speeds, land }] of Object.entries(PALETTES)) {
  for (const [name, eyes] of Object.entries(EYES)) {
    test(`each faster speed differs more from the ${theme} map, ${name}`, () => {
      const ground = luminance(seen(linear(land), eyes))
      const contrasts = speeds.map((hex) => contrast(luminance(seen(linear(hex), eyes)), ground))
      // WCAG 2.2, 1.4.11: parts of graphics.
      if (name === 'all') assert.ok(contrasts[0]! >= 3, `${contrasts[0]}`)
      for (const [at, each] of contrasts.slice(1).entries()) {
        assert.ok(each / contrasts[at]! > 1.15, `${contrasts}`)
      }
    })
  }
}
