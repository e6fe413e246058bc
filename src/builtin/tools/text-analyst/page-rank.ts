import { UndirectedGraph } from "graphology";
import pagerank from "graphology-metrics/centrality/pagerank.js";

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** As in TextRank: the chance of following an edge rather than jumping anywhere. */
const DAMPING = 0.85;
/** Each iteration shrinks the error by the damping at least, so both are always reached. */
const TOLERANCE = 1e-8;
const ITERATIONS_MAX = 300;

/** PageRank of the nodes 0..order-1 of an undirected weighted graph; the ranks add up to 1. */
export function computePageRank(order: number, edges: Iterable<GraphEdge>): number[] {
  // Without nodes nothing ever converges.
  if (order === 0) return [];
  const graph = new UndirectedGraph();
  for (let node = 0; node < order; node++) graph.addNode(node);
  for (const { from, to, weight } of edges) graph.addEdge(from, to, { weight });
  const ranks = pagerank(graph, {
    getEdgeWeight: "weight",
    alpha: DAMPING,
    tolerance: TOLERANCE,
    maxIterations: ITERATIONS_MAX,
  });
  return Array.from({ length: order }, (_, node) => ranks[node] ?? 0);
}
