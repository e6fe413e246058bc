// The project's own lint rules, which .oxlintrc.json loads.

/** The syntax tree fields of a type that the rule reads. */
interface TypeNode {
  readonly type: string;
  readonly types?: readonly TypeNode[];
  readonly elementType?: TypeNode;
  readonly typeAnnotation?: TypeNode;
  readonly typeArguments?: { readonly params: readonly TypeNode[] } | null;
}

interface FunctionNode {
  readonly returnType?: { readonly typeAnnotation: TypeNode } | null;
}

interface RuleContext {
  report(problem: { readonly node: TypeNode; readonly message: string }): void;
}

const MESSAGE =
  "Specify the fields that the function returns. A view returns the type of its response schema.";

/** Rejects functions that return `object`, on its own or within a Promise, a Result, an array or a union. */
const noObjectResult = {
  create(context: RuleContext) {
    const check = ({ returnType }: FunctionNode): void => {
      const node = returnType?.typeAnnotation;
      if (node !== undefined && mentionsObject(node)) context.report({ node, message: MESSAGE });
    };
    return {
      FunctionDeclaration: check,
      FunctionExpression: check,
      ArrowFunctionExpression: check,
      TSFunctionType: check,
      TSMethodSignature: check,
    };
  },
};

function mentionsObject(node: TypeNode): boolean {
  const { type, types = [], elementType, typeAnnotation, typeArguments } = node;
  const parts = [...types, elementType, typeAnnotation, ...(typeArguments?.params ?? [])];
  return (
    type === "TSObjectKeyword" || parts.some((part) => part !== undefined && mentionsObject(part))
  );
}

// oxlint-disable-next-line import/no-default-export -- oxlint reads a plugin's default export
export default { meta: { name: "bosun" }, rules: { "no-object-result": noObjectResult } };
