# Finds functions of more than 60 lines, and parameter lists of more than six without a reason. Reads sources as
# swift-format lays them out: a function ends at the brace in the column of its beginning. An initialiser that gives
# each parameter to the property of the same name needs no reason; others say "// More than six parameters: …" in the
# line above.

function indentation(line) { match(line, /^ */); return RLENGTH }

# Counts the parameters in a text that begins with the opening parenthesis.
function parameters(text,    place, letter, depth, commas, isEmpty) {
    isEmpty = 1
    for (place = 1; place <= length(text); place++) {
        letter = substr(text, place, 1)
        if (letter ~ /[(\[{]/) { depth++; continue }
        if (letter ~ /[)\]}]/) { if (--depth == 0) break; continue }
        if (depth == 1 && letter == ",") commas++
        if (letter ~ /[A-Za-z_]/) isEmpty = 0
    }
    return isEmpty ? 0 : commas + 1
}

function finish(    lines, count) {
    lines = FNR - first + 1
    count = parameters(head)
    if (lines > 60) printf "%s:%d: %s has %d lines; a function does one thing, in at most 60\n", FILENAME, first, name, lines
    if (count > 6 && !hasReason && !(isInit && assigned >= count - 1))
        printf "%s:%d: %s has %d parameters; more than six need a reason in the line above\n", FILENAME, first, name, count
    isInside = 0
}

FNR == 1 { isInside = 0 }

{
    code = $0
    sub(/ *\/\/.*$/, "", code)
}

# A protocol requirement has no body, and ends where the next one begins.
(!isInside || !hasBody && indentation($0) == column) && code ~ /^ *([a-z@]+(\([a-z]*\))? +)*(func [^ (]+|init[?]?)(<[^(]*>)?\(/ {
    first = FNR
    column = indentation($0)
    isInit = code !~ /func /
    hasReason = last ~ /\/\/ More than six parameters: /
    assigned = 0
    name = code
    sub(/^ *([a-z@]+(\([a-z]*\))? +)*/, "", name)
    sub(/[(<].*/, "", name)
    head = code
    sub(/^[^(]*/, "", head)
    isInside = 1
    hasBody = code ~ /\{$/
    if (code ~ /\{.*\}$/) finish()
    last = $0
    next
}

isInside {
    if (!hasBody) {
        head = head " " code
        if (code ~ /\{$/) hasBody = 1
        else if (code ~ /\{.*\}$/) finish()
        else if (code ~ /^ *$/) isInside = 0
    } else {
        if (code ~ /self\.[A-Za-z]+ = /) assigned++
        if (indentation($0) == column && code ~ /^ *\}/) finish()
    }
}

{ last = $0 }
