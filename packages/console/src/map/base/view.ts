import type { Map as MapLibre } from 'maplibre-gl'
import { mercatorX, mercatorY, worldPx } from './mercator.ts'

/** A part of the Mercator world. */
export type Part = { west: number; north: number; east: number; south: number }

/**
 * The visible part of the map, in the form that the fleet's shaders need. The map is never rotated or
 * tilted.
 */
export type View = {
  x: number
  y: number
  /** Width of the world in CSS pixels. */
  worldPx: number
  width: number
  height: number
  /** Device pixels for each CSS pixel. */
  ratio: number
}

export function viewOf(map: MapLibre): View {
  const { lng, lat } = map.getCenter()
  const { clientWidth, clientHeight, width } = map.getCanvas()
  return {
    x: mercatorX(lng),
    y: mercatorY(lat),
    worldPx: worldPx(map.getZoom()),
    width: clientWidth,
    height: clientHeight,
    ratio: width / clientWidth,
  }
}

/** The visible part of the Mercator world. */
export function partOf(map: MapLibre): Part {
  const bounds = map.getBounds()
  return {
    west: mercatorX(bounds.getWest()),
    north: mercatorY(bounds.getNorth()),
    east: mercatorX(bounds.getEast()),
    south: mercatorY(bounds.getSouth()),
  }
}

/** The beginning of all fleet shaders: converts a place of the world to pixels from the middle. */
export const VIEW_GLSL = `#version 300 es
precision highp float;
uniform vec4 u_middle;
uniform float u_worldPx;
uniform vec2 u_size;
uniform float u_ratio;
vec2 fromMiddle(vec4 place, vec2 back) {
  // Subtract high parts first: their difference is exact, so that the low parts still count.
  return ((place.xy - u_middle.xy) + (place.zw - u_middle.zw) + back) * u_worldPx;
}
vec4 onScreen(vec2 px) {
  return vec4(px.x * 2.0 / u_size.x, -px.y * 2.0 / u_size.y, 0.0, 1.0);
}
`

export const VIEW_UNIFORMS = ['u_middle', 'u_worldPx', 'u_size', 'u_ratio'] as const

export function setView(
  gl: WebGL2RenderingContext,
  uniforms: Record<(typeof VIEW_UNIFORMS)[number], WebGLUniformLocation | null>,
  view: View,
): void {
  const highX = Math.fround(view.x)
  const highY = Math.fround(view.y)
  gl.uniform4f(uniforms.u_middle, highX, highY, view.x - highX, view.y - highY)
  gl.uniform1f(uniforms.u_worldPx, view.worldPx)
  gl.uniform1f(uniforms.u_ratio, view.ratio)
  gl.uniform2f(uniforms.u_size, view.width, view.height)
}
