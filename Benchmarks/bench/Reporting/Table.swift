/// Text in columns.
enum Table {
  /// Lines of equal columns below a head; columns in `right` are aligned to the right.
  static func text(head: [String], _ rows: [[String]], right: Set<Int>) -> String {
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    func line(_ cells: [String]) -> String {
      let padded = cells.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return right.contains(column) ? padding + cell : cell + padding
      }
      return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = head.indices.map { column in
      let dashes = String(repeating: "-", count: max(2, widths[column]) - 1)
      return right.contains(column) ? dashes + ":" : dashes + "-"
    }
    return ([line(head), line(rule)] + rows.map(line)).joined(separator: "\n")
  }
}
